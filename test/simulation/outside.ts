/** The world outside the cluster. It counts the calls that it gets, and knows whether each call was allowed. */
import type { ChannelState } from './actors.ts'
import { CONFIRM_MS } from './actors.ts'
import type { Host } from './host.ts'
import type { Owners } from './owners.ts'

/** The answer to a call: the host that received it, and the times at which the host and the database learned of it. */
type Answer = { host: Host; heard_at: number; known_at: number; generation: number }
type Call = { id: number; attempt: number; host: Host; node: string; address: string }

/** The factor by which the rates of clocks may differ. */
const SLACK = 0.93

/** Milliseconds until a known answer reaches the next owner, who may have decided, and be connecting, meanwhile. */
const TELL_MS = 4000

/** Milliseconds of rest: of sweeps after one that took long, and of turns that cannot be committed after a refusal. */
const REST_MS = 10_000

/** The number of commits of a lane after which the answer is stored. The lane commits one after the other. */
const COMMITS = 3

export class Outside {
  calls = 0
  readonly #owners: Owners
  readonly #find: (text: string) => void
  readonly #last = new Map<number, { at: number; node: string }>()
  readonly #answers = new Map<number, Answer>()
  /** Calls whose marks the database has lost. */
  readonly excused = new Set<number>()

  constructor(owners: Owners, find: (text: string) => void) {
    this.#owners = owners
    this.#find = find
  }

  /** Notes an answer. The node that has it can tell the others when it reaches the database. */
  answered(id: number, host: Host): void {
    const answer: Answer = {
      host,
      heard_at: host.time,
      known_at: Number.POSITIVE_INFINITY,
      generation: this.#owners.generation,
    }
    this.#answers.set(id, answer)
    const before = host.onCommitted
    let commits = 0
    host.onCommitted = () => {
      before()
      if (++commits < COMMITS) return
      answer.known_at = Math.min(answer.known_at, host.time)
    }
    if (host.world.is_traced) host.world.say(host.name, `HEARS the provider about ${id}`)
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
    const answer = this.#answers.get(id)
    // A database that was down meanwhile kept the answer from the next caller.
    const is_told =
      answer && !answer.host.is_dead && !answer.host.is_paused && answer.generation === this.#owners.generation
    // A node that stood still, or could not reach the database, could not read the answer, and rests longer afterwards.
    const read_at = host.hindered_until + REST_MS
    // A host whose commits were refused since may have lost the actor before it tried again.
    const is_refused = answer && answer.host !== host && answer.host.refused_at >= answer.heard_at
    const told_at = is_refused ? answer.host.refused_at + REST_MS : 0
    const since = Math.max(answer?.known_at ?? 0, read_at, told_at)
    if (is_told && at - since > TELL_MS)
      this.#find(`forgotten: ${node} called the provider with ${id}, whose answer ${answer.host.name} has`)
    const stored = this.#owners.stateOf<ChannelState>(address)
    const item = stored?.open[id]
    if (!stored?.ids.includes(id) || (item && !item.is_begun)) {
      this.#find(`early: ${node} called the provider with ${id} before that was committed`)
    } else if (!item && attempt === 1)
      this.#find(`doubled: ${node} called the provider with ${id} after its result was committed`)
  }
}
