/**
 * The overview of the installation, read every few seconds while somebody looks at it, with the samples of the last 15
 * minutes, and the nodes that came and went meanwhile. No DOM.
 */

import { signal } from '@preact/signals'
import type { Api } from '../data/api.ts'
import { faultOf } from '../data/errors.ts'
import type { Fault } from '../records/fault.ts'
import type { Overview as OverviewReading, Sample } from './records.ts'

type Change = { at: string; text: string; is_bad: boolean }

const EVERY_MS = 5_000
const KEPT_MS = 15 * 60_000
const MAX_CHANGES = 30

export class Overview {
  /** Null until the first reading. */
  reading = signal<OverviewReading | null>(null)
  samples = signal<readonly Sample[]>([])
  /** Changes of the nodes since the page was opened, newest first. */
  changes = signal<readonly Change[]>([])
  /** Why the last reading failed. */
  fault = signal<Fault | null>(null)
  #api
  #every_ms
  #timer: number | undefined
  #is_watched = false
  #is_reading = false

  constructor({ api, every_ms = EVERY_MS }: { api: Pick<Api, 'request'>; every_ms?: number }) {
    this.#api = api
    this.#every_ms = every_ms
  }

  /** Reads now, and again every few seconds until `stop`. */
  start() {
    this.#is_watched = true
    void this.read()
  }

  stop() {
    this.#is_watched = false
    clearTimeout(this.#timer)
  }

  async read() {
    if (this.#is_reading) return
    this.#is_reading = true
    clearTimeout(this.#timer)
    try {
      const since = this.samples.value.at(-1)?.at
      const reading: OverviewReading = await this.#api.request('GET', 'ops/overview', { query: { since } })
      this.#note(this.reading.value, reading)
      this.samples.value = merged(this.samples.value, reading.samples)
      this.reading.value = reading
      this.fault.value = null
    } catch (error) {
      this.fault.value = faultOf(error)
    }
    this.#is_reading = false
    if (this.#is_watched) this.#timer = setTimeout(() => this.read(), this.#every_ms)
  }

  #note(before: OverviewReading | null, after: OverviewReading) {
    if (!before) return
    const found = changesOf(before, after)
    if (found.length > 0) this.changes.value = [...found, ...this.changes.value].slice(0, MAX_CHANGES)
  }
}

/**
 * The samples in order, each once. Another node may have others, from before it knew of this page.
 *
 * @public for its tests
 */
export function merged(kept: readonly Sample[], more: readonly Sample[]) {
  const last = more.at(-1) ?? kept.at(-1)
  if (!last) return kept
  const oldest = new Date(Date.parse(last.at) - KEPT_MS).toISOString()
  const all = new Map([...kept, ...more].map((sample) => [sample.at, sample]))
  return [...all.values()].filter(({ at }) => at >= oldest).sort((a, b) => (a.at < b.at ? -1 : 1))
}

/**
 * Changes of the nodes between two readings.
 *
 * @public for its tests
 */
export function changesOf(
  before: Pick<OverviewReading, 'at' | 'nodes'>,
  after: Pick<OverviewReading, 'at' | 'nodes'>,
): Change[] {
  const known = new Map(before.nodes.map((node) => [node.id, node]))
  const changes: Change[] = []
  const say = (text: string, is_bad = false) => changes.push({ at: after.at, text, is_bad })
  for (const node of after.nodes) {
    const then = known.get(node.id)
    known.delete(node.id)
    const name = nodeName(node)
    if (!then) say(`${name} joined`)
    else if (node.leaving && !then.leaving) say(`${name} gives its partitions away`)
    if (then && node.is_connected !== then.is_connected) {
      say(node.is_connected ? `${name} is back at the broker` : `${name} lost the broker`, !node.is_connected)
    }
    if (then && node.partitions !== then.partitions) {
      say(`${name} has ${node.partitions} partitions, ${signed(node.partitions - then.partitions)}`)
    }
  }
  for (const node of known.values()) say(`${nodeName(node)} left`, !node.leaving)
  return changes
}

export function nodeName({ id, host }: { id: string; host: string }) {
  return `${host} · ${id.slice(0, 6)}`
}

function signed(value: number) {
  return value > 0 ? `+${value}` : `−${-value}`
}
