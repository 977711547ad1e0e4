/** The pages of the agents, in one process. */
import { setTimeout as pause } from 'node:timers/promises'
import { connectPages, makePages, type Page, type PagesConfig } from '../load/pages.ts'
import { quantile } from '../report/figures.ts'
import { offer } from '../servers/remote.ts'

export type CaughtUp = {
  p50_ms: number
  p99_ms: number
  all_ms: number
  missing: number
  again: number
  resyncs: number
}

/** The events of an `event.recorded` have these ids. */
const RECORDED = /"type":"event\.recorded","data":\{"_id":"(\w+)"/g
const PATIENCE_MS = 60_000

/** `heard`: ids of the recorded events, in order. */
let pages: (Page & { heard: string[]; onHeard(): void })[]
let turn = 0

offer({
  start(config: PagesConfig) {
    pages = makePages(config).map((made) => {
      const page = { ...made, heard: [] as string[], onHeard: () => {} }
      page.socket.onLive = (text) => {
        for (const [, id] of text.matchAll(RECORDED)) page.heard.push(id!)
        page.onHeard()
      }
      return page
    })
  },
  connect: () => connectPages(pages, turn),
  async drop() {
    for (const { socket, heard } of pages) {
      socket.end()
      heard.length = 0
    }
  },
  /** All pages come back within `within_ms`, to the other node. Resolves when each has heard `ids`, or much later. */
  async comeBack({ ids, within_ms }: { ids: string[]; within_ms: number }): Promise<CaughtUp> {
    turn++
    const began = performance.now()
    const waits: number[] = []
    let resyncs = 0
    await Promise.all(
      pages.map(async (page, n) => {
        await pause((n / pages.length) * within_ms)
        const from = performance.now()
        for (;;) {
          const answer = await page.socket.watch(page.place(turn)).catch(() => undefined)
          if (answer?.resync) resyncs++
          if (answer) break
          await pause(100)
        }
        await heardAll(page, ids.length)
        waits.push(performance.now() - from)
      }),
    )
    const all_ms = performance.now() - began
    let [missing, again] = [0, 0]
    for (const { socket, heard } of pages) {
      const known = new Set(heard)
      missing += ids.filter((id) => !known.has(id)).length
      again += heard.length - known.size
      resyncs += socket.resyncs
      socket.resyncs = 0
    }
    return { p50_ms: quantile(waits, 0.5), p99_ms: quantile(waits, 0.99), all_ms, missing, again, resyncs }
  },
})

function heardAll(page: (typeof pages)[number], count: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE_MS)
    page.onHeard = () => {
      if (page.heard.length < count) return
      clearTimeout(timer)
      resolve()
    }
    page.onHeard()
  })
}
