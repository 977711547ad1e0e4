/**
 * The pages of one side, and the load: an operation publishes an event at one of the nodes, in turn, and ends when every
 * page has received it.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { lineClient } from '../load/line_client.ts'
import { type Issue, type Load, runLoad, type Sample } from '../load/loop.ts'
import { connectPages, makePages, type Page, type PagesConfig } from '../load/pages.ts'
import { offer } from '../servers/remote.ts'
import { numbersIn } from './shape.ts'

export type FanOutConfig = PagesConfig & { publishers: number[] }
export type FanOutSample = Sample & { missing: number; again: number; resyncs: number }

/** More than the operations in flight at a time. */
const SLOTS = 64
/** Events that arrive this late for a second time are counted. */
const LATE_MS = 300

let pages: Page[]
let publishers: Issue[]
let last = 0
let again = 0
/** Events by number: the pages that lack the event. */
const open = new Map<number, { lacking: number; done(ok: boolean): void }>()
/** Slots of each page: the number of the last event that the page received there. */
let received: Int32Array

offer({
  async start({ publishers: ports, ...config }: FanOutConfig) {
    received = new Int32Array(config.pages * SLOTS)
    publishers = await Promise.all(ports.map((port) => lineClient(port, config.project_id)))
    pages = makePages(config)
    pages.forEach(({ socket }, page) => {
      socket.onLive = (text) => {
        for (const n of numbersIn(text)) receive(page, n)
      }
    })
  },
  connect: () => connectPages(pages, 0),
  async run(load: Load): Promise<FanOutSample> {
    again = 0
    open.clear()
    for (const { socket } of pages) socket.resyncs = 0
    const sample = await runLoad(publish, load)
    await pause(LATE_MS)
    const missing = [...open.values()].reduce((sum, { lacking }) => sum + lacking, 0)
    const resyncs = pages.reduce((sum, { socket }) => sum + socket.resyncs, 0)
    return { ...sample, missing, again, resyncs }
  },
})

function publish(_key: number, done: (ok: boolean) => void): void {
  const n = ++last
  open.set(n, { lacking: pages.length, done })
  publishers[n % publishers.length]!(n, (ok) => {
    if (!ok) done(false)
  })
}

function receive(page: number, n: number): void {
  const slot = page * SLOTS + (n % SLOTS)
  const event = open.get(n)
  if (received[slot] === n || !event) {
    again++
    return
  }
  received[slot] = n
  if (--event.lacking > 0) return
  open.delete(n)
  event.done(true)
}
