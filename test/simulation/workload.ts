/** The requests of clients in a history, and the answers they got. */
import { Unavailable } from '../../runtime/mod.ts'
import type { Member, SimulatedCluster } from './cluster.ts'
import type { World } from './world.ts'

export type Operation = {
  id: number
  kind: 'next' | 'add' | 'get' | 'set' | 'cancel' | 'begin' | 'submit' | 'tell'
  address: string
  is_repeatable: boolean
  host: string
  asked_at: number
  /** The time of the answer; undefined while there is none. */
  answered_at: number | undefined
  outcome: 'done' | 'unknown' | undefined
  reply: unknown
}

const DEADLINE_MS = 8000
/** Milliseconds of one step. A machine that stood still while it asked gets several steps to answer. */
const SLACK_MS = 1000
const SLACK_STEPS = 6
const KINDS = [
  'next',
  'next',
  'add',
  'add',
  'get',
  'get',
  'set',
  'cancel',
  'begin',
  'submit',
  'submit',
  'tell',
] as const

export class Workload {
  readonly operations: Operation[] = []
  readonly #cluster: SimulatedCluster
  readonly #world: World
  readonly #chains: string[][]
  readonly #width: number
  readonly #peeks: number

  constructor(cluster: SimulatedCluster) {
    this.#cluster = cluster
    this.#world = cluster.world
    const { world } = cluster
    this.#width = world.whole(1, 4)
    this.#peeks = world.pick([0, 40, 150])
    // Each head always tells along the same chain.
    this.#chains = Array.from({ length: this.#width }, (_, head) =>
      Array.from({ length: world.whole(1, 3) }, (_, step) => `link/${step}x${(head + step) % this.#width}`),
    )
  }

  /** Plans operations between the times `from` and `to`. */
  plan(from: number, to: number): void {
    const count = this.#world.whole(40, 120)
    for (let i = 0; i < count; i++) this.#world.at(this.#world.between(from, to), () => this.#operate())
    for (let i = this.#world.pick([0, 0, 1, 2]); i > 0; i--) this.#crowd(this.#world.between(from, to), to)
    for (let i = 0; i < this.#peeks; i++) this.#world.at(this.#world.between(from, to), () => this.#peek())
  }

  /** Sends many messages to the actors of one chain in a short time. */
  #crowd(from: number, to: number): void {
    const world = this.#world
    const at = world.whole(0, this.#width - 1)
    const until = Math.min(from + world.pick([50, 2000, 12_000]), to)
    for (let i = world.pick([20, 60, 200]); i > 0; i--) world.at(world.between(from, until), () => this.#next(at))
  }

  /** True when nobody waits for an answer any more, except callers whose node is gone. */
  get isOver(): boolean {
    return this.operations.every(({ outcome, host }) => outcome !== undefined || this.#isGone(host))
  }

  #isGone(name: string): boolean {
    return this.#cluster.members.some(({ host, is_leaving }) => host.name === name && (host.is_dead || is_leaving))
  }

  /** Asks each counter through each node, as the last look. */
  askAll(): void {
    for (const { host } of this.#cluster.serving) {
      for (let i = 0; i < this.#width; i++) {
        const member = this.#cluster.members.find((one) => one.host === host)!
        this.#run(member, 'get', `counter/c${i}`, { type: 'get' }, true)
      }
    }
  }

  #operate(): void {
    const { serving } = this.#cluster
    if (serving.length === 0) return
    const world = this.#world
    const member = world.pick(serving)
    const kind = world.pick(KINDS)
    const at = world.whole(0, this.#width - 1)
    const id = this.operations.length + 1
    const name = world.pick(['x', 'y'])
    if (kind === 'next') this.#next(at)
    else if (kind === 'get') this.#run(member, kind, `counter/c${at}`, { type: 'get' }, true)
    else if (kind === 'add') {
      const is_repeatable = world.happens(0.5)
      this.#run(member, kind, `counter/c${at}`, { type: 'add', id, repeatable: is_repeatable }, is_repeatable)
    } else if (kind === 'tell') this.#tell(member, `counter/c${at}`, { type: 'add', id, repeatable: false })
    else if (kind === 'set')
      this.#run(member, kind, `alarm/a${at}`, { type: 'set', id, name, ms: world.whole(0, 9000) })
    else if (kind === 'cancel') this.#run(member, kind, `alarm/a${at}`, { type: 'cancel', id, name })
    else if (kind === 'begin') this.#run(member, kind, `job/j${at}`, { type: 'begin', id })
    else this.#run(member, kind, `desk/d${at}`, { type: 'submit', id, channel: `channel/h${at}` })
  }

  #next(at: number): void {
    const { serving } = this.#cluster
    if (serving.length === 0) return
    const message = { type: 'next', id: this.operations.length + 1, path: this.#chains[at] }
    this.#run(this.#world.pick(serving), 'next', `link/head${at}`, message)
  }

  #note(member: Member, kind: Operation['kind'], address: string, is_repeatable: boolean): Operation {
    const operation: Operation = {
      id: this.operations.length + 1,
      kind,
      address,
      is_repeatable,
      host: member.host.name,
      asked_at: Number.POSITIVE_INFINITY,
      answered_at: undefined,
      outcome: undefined,
      reply: undefined,
    }
    this.operations.push(operation)
    return operation
  }

  #run(member: Member, kind: Operation['kind'], address: string, message: object, is_repeatable = false): void {
    const operation = this.#note(member, kind, address, is_repeatable)
    this.#do(member, operation, () =>
      member.node!.ask(address as never, message as never, { deadline_ms: DEADLINE_MS, repeatable: is_repeatable }),
    )
  }

  #tell(member: Member, address: string, message: object): void {
    const operation = this.#note(member, 'tell', address, false)
    this.#do(member, operation, () =>
      member.node!.tell(address as never, message as never, { deadline_ms: DEADLINE_MS }),
    )
  }

  #do(member: Member, operation: Operation, work: () => Promise<unknown>): void {
    const { host } = member
    const world = this.#world
    host.later(0, () => {
      operation.asked_at = host.time
      if (world.is_traced) world.say(host.name, `asks: ${kindOf(operation)}`)
      const end = (outcome: 'done' | 'unknown', reply: unknown) => {
        operation.answered_at = host.time
        operation.outcome = outcome
        operation.reply = reply
        if (world.is_traced) {
          const text = reply instanceof Error ? reply.message : JSON.stringify(reply)
          world.say(host.name, `answer: ${kindOf(operation)}: ${outcome} ${text}`)
        }
      }
      work().then(
        (reply) => end('done', reply),
        (error) => {
          if (!(error instanceof Unavailable)) this.#cluster.find(`${kindOf(operation)}: ${error.message}`)
          end('unknown', error)
        },
      )
      // The time passes step by step, so that a machine that has stood still gets time to answer.
      const look = (steps: number) => {
        if (operation.outcome !== undefined || member.is_leaving) return
        if (steps > 0) host.clock.after(SLACK_MS, () => look(steps - 1))
        else this.#cluster.find(`stuck: ${kindOf(operation)} has no answer`)
      }
      host.clock.after(DEADLINE_MS, () => look(SLACK_STEPS))
    })
  }

  /** Reads from memory, as the admission of requests does. */
  #peek(): void {
    const { serving, owners } = this.#cluster
    if (serving.length === 0) return
    const member = this.#world.pick(serving)
    const { host, node, id } = member
    const address = `counter/c${this.#world.whole(0, this.#width - 1)}`
    host.later(0, () => {
      const asked_at = host.time
      const reply = node.tryAsk(address as never, { type: 'get' } as never)
      if (reply === undefined) return
      const operation = this.#note(member, 'get', address, true)
      operation.asked_at = asked_at
      operation.answered_at = host.time
      operation.outcome = 'done'
      operation.reply = reply
      // A stand-still between the look at the lease and the answer is nobody's fault.
      if (!host.is_late) owners.check(address, id, host, `answered from the memory of ${address}`)
    })
  }
}

function kindOf({ kind, id, address }: Operation): string {
  return `${kind} ${id} at ${address}`
}
