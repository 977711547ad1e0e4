/** The world outside the cluster, which counts the calls that it gets and knows whether they should have come. */
import type { ChannelState } from './actors.ts'
import { CONFIRM_MS } from './actors.ts'
import type { Host } from './host.ts'
import type { Owners } from './owners.ts'

type Call = { id: number; attempt: number; host: Host; node: string; address: string }

/** Clocks may run at rates that differ by so much. */
const SLACK = 0.93

export class Outside {
  calls = 0
  readonly #owners: Owners
  readonly #find: (text: string) => void
  readonly #last = new Map<number, { at: number; node: string }>()
  /** Those whose marks the database has lost. */
  readonly excused = new Set<number>()

  constructor(owners: Owners, find: (text: string) => void) {
    this.#owners = owners
    this.#find = find
  }

  call({ id, attempt, host, node, address }: Call): void {
    const at = host.time
    this.calls++
    const { world } = host
    if (world.is_traced) world.say(host.name, `CALLS the provider with ${id}`)
    this.#owners.check(address, node, host, `called the provider with ${id}`)
    const before = this.#last.get(id)
    this.#last.set(id, { at, node })
    if (this.excused.has(id) || this.#owners.isExcused(at)) return
    if (before && at - before.at < CONFIRM_MS * SLACK) {
      const gap = Math.round(at - before.at)
      this.#find(`doubled: ${node} called the provider with ${id}, ${gap} ms after ${before.node} had`)
    }
    if (host.is_late) return
    const stored = this.#owners.stateOf<ChannelState>(address)
    const item = stored?.open[id]
    if (!stored?.ids.includes(id) || (item && !item.is_begun)) {
      this.#find(`early: ${node} called the provider with ${id} before that was committed`)
    } else if (!item && attempt === 1)
      this.#find(`doubled: ${node} called the provider with ${id} after its result was committed`)
  }
}
