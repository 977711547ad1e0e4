/**
 * Shares the partitions out among the nodes: looks who is there and who owns what, takes what this node should have and
 * nobody holds, gives away what others should have. All nodes compute the same placement from the same tables.
 */
import type { Broker } from './broker.ts'
import type { Clock } from './clock.ts'
import type { Holdings } from './holdings.ts'
import type { Log } from './log.ts'
import type { Membership } from './membership.ts'
import { place } from './placement.ts'
import type { Store, StoredPartition } from './store.ts'

/** Between two looks without a reason, in a cluster of up to `SMALL` nodes; more look less often. */
const LOOK_MS = 1000
const SMALL = 32
/** Partitions that are given away together. */
const GROUP = 4

type BalanceOptions = {
  node: string
  store: Store
  broker: Broker
  prefix: string
  membership: Membership
  holdings: Pick<Holdings, 'take' | 'release' | 'drop'>
  epochs: ReadonlyMap<number, number>
  clock: Clock
  log: Log
  /** Whether this node holds its lease: without one nothing may be taken. */
  leased(): boolean
  /** Rejects when this node must not take partitions. */
  confirm(): Promise<void>
  /** Partitions have come here from other nodes. */
  taken(): void
}

type Taken = { epochs: [id: number, epoch: number][] }

export class Balance {
  readonly #options: BalanceOptions
  #cancel: (() => void) | undefined
  #unsubscribe: (() => void) | undefined
  #running: Promise<void> | undefined
  #again = false
  #stopped = false

  constructor(options: BalanceOptions) {
    this.#options = options
  }

  /** Resolves once this node has taken what it could at first. */
  async start(): Promise<void> {
    const { broker, prefix } = this.#options
    const released = broker.subscribe(`${prefix}.node.released`, {
      callback: () => void this.#options.membership.read().then(() => this.look()),
    })
    const taken = broker.subscribe(`${prefix}.node.taken`, {
      callback: (error, message) => {
        if (!error) this.#lose(message.json<Taken>().epochs)
      },
    })
    this.#unsubscribe = () => {
      released.unsubscribe()
      taken.unsubscribe()
    }
    await this.look()
    this.#lookLater()
  }

  #lookLater(): void {
    const { clock, membership } = this.#options
    const ms = LOOK_MS * Math.max(1, membership.members().length / SMALL)
    this.#cancel = clock.after(ms, () => {
      void this.look().finally(() => {
        if (!this.#stopped) this.#lookLater()
      })
    })
  }

  /** Compares what is with what should be, and acts. One at a time; a call meanwhile leads to one more look. */
  look(): Promise<void> {
    this.#again = true
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Gives everything away and takes nothing any more. */
  async leave(): Promise<void> {
    this.#stopped = true
    this.#cancel?.()
    this.#unsubscribe?.()
    await this.#running
    await this.#give([...this.#options.epochs.keys()])
  }

  /** The others learn now, not with their next renewal, that something is free. */
  announce(partitions: number[] = []): void {
    this.#say('released', { partitions })
  }

  /** Whoever took it has the higher epoch. A node that PostgreSQL does not answer learns of it only so. */
  #lose(epochs: Taken['epochs']): void {
    for (const [id, epoch] of epochs) {
      const held = this.#options.epochs.get(id)
      if (held !== undefined && held < epoch) this.#options.holdings.drop(id)
    }
  }

  async #run(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false
      try {
        await this.#look()
      } catch (error) {
        this.#options.log.warn({ error: (error as Error).message }, 'balancing partitions failed, trying again soon')
        return
      }
    }
  }

  async #look(): Promise<void> {
    const { node, store, membership, epochs, holdings, leased, log } = this.#options
    if (!leased()) return
    const rows = await store.partitions()
    // What another has taken meanwhile is not ours to give: nothing of it can be committed, so nothing is waited for.
    for (const { id, owner } of rows) if (epochs.has(id) && owner !== node) holdings.drop(id)
    const known = new Set(membership.members().map(({ id }) => id))
    const owners = rows.map(({ owner }) => (owner !== null && known.has(owner) ? owner : undefined))
    const placed = place(membership.able(), owners)
    const isMine = (index: number) => placed[index] === node
    const take: StoredPartition[] = []
    const stray: number[] = []
    for (const [index, row] of rows.entries()) {
      if (epochs.has(row.id)) continue
      const owner = owners[index]
      if (isMine(index) && (owner === undefined || owner === node)) take.push(row)
      // Ours by the table alone: the answer to a take was lost. Nobody else may take it before it is free again.
      else if (row.owner === node) stray.push(row.id)
    }
    const give = placed.length > 0 ? rows.filter(({ id }, index) => epochs.has(id) && !isMine(index)) : []
    if (stray.length > 0) {
      await store.release(node, stray)
      this.announce(stray)
    }
    // What nobody serves comes first: giving waits for turns to end.
    if (take.length > 0) {
      await this.#options.confirm()
      log.info({ partitions: take.length }, 'taking partitions')
      const epochs = await holdings.take(take)
      this.#say('taken', { epochs: [...epochs] })
      this.#options.taken()
    }
    if (give.length > 0) {
      log.info({ partitions: give.length }, 'giving partitions to other nodes')
      await this.#give(give.map(({ id }) => id))
    }
  }

  /** A few at a time, so that each is without an owner only for as long as those few take. */
  async #give(partitions: number[]): Promise<void> {
    for (let from = 0; from < partitions.length; from += GROUP) {
      const group = partitions.slice(from, from + GROUP)
      await this.#options.holdings.release(group)
      this.announce(group)
    }
  }

  #say(what: 'released' | 'taken', words: object): void {
    const { broker, prefix } = this.#options
    if (!broker.isClosed()) broker.publish(`${prefix}.node.${what}`, JSON.stringify(words))
  }
}
