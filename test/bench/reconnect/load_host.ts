/** The pages of the agents, in one process. */
import { setTimeout as pause } from 'node:timers/promises'
import { quantile } from '../report/figures.ts'
import { offer } from '../servers/remote.ts'
import { PageSocket, type Place } from './page_socket.ts'

export type PagesConfig = { ports: number[]; project_id: string; cookies: string[]; pages: number }
export type CaughtUp = {
  p50_ms: number
  p99_ms: number
  all_ms: number
  missing: number
  again: number
  resyncs: number
}

/** Connections that are opened at a time while nothing is measured. */
const AT_ONCE = 100
const PATIENCE_MS = 60_000

let pages: { socket: PageSocket; place(turn: number): Place }[]
let turn = 0

offer({
  start({ ports, project_id, cookies, pages: count }: PagesConfig) {
    pages = Array.from({ length: count }, (_, n) => {
      const cookie = cookies[n % cookies.length]!
      const place = (turn: number) => ({ port: ports[(n + turn) % ports.length]!, cookie, project_id })
      return { socket: new PageSocket(), place }
    })
  },
  async connect() {
    for (let from = 0; from < pages.length; from += AT_ONCE)
      await Promise.all(pages.slice(from, from + AT_ONCE).map(({ socket, place }) => socket.watch(place(turn))))
  },
  async drop() {
    for (const { socket } of pages) {
      socket.end()
      socket.heard.length = 0
    }
  },
  /** All pages come back within `within_ms`, to the other node. Resolves when each has heard `ids`, or much later. */
  async comeBack({ ids, within_ms }: { ids: string[]; within_ms: number }): Promise<CaughtUp> {
    turn++
    const began = performance.now()
    const waits: number[] = []
    let resyncs = 0
    await Promise.all(
      pages.map(async ({ socket, place }, n) => {
        await pause((n / pages.length) * within_ms)
        const from = performance.now()
        for (;;) {
          const answer = await socket.watch(place(turn)).catch(() => undefined)
          if (answer?.resync) resyncs++
          if (answer) break
          await pause(100)
        }
        await heardAll(socket, ids.length)
        waits.push(performance.now() - from)
      }),
    )
    const all_ms = performance.now() - began
    let [missing, again] = [0, 0]
    for (const { socket } of pages) {
      const heard = new Set(socket.heard)
      missing += ids.filter((id) => !heard.has(id)).length
      again += socket.heard.length - heard.size
      resyncs += socket.resyncs
      socket.resyncs = 0
    }
    return { p50_ms: quantile(waits, 0.5), p99_ms: quantile(waits, 0.99), all_ms, missing, again, resyncs }
  },
})

function heardAll(socket: PageSocket, count: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE_MS)
    socket.onLive = () => {
      if (socket.heard.length < count) return
      clearTimeout(timer)
      resolve()
    }
    socket.onLive()
  })
}
