/** Who is there: the nodes that hold leases, and which of them can hear each other. */
import type { Clock } from './clock.ts'
import type { Log } from './log.ts'
import { SilentNodes } from './silent_nodes.ts'
import type { LeasedNode, NodeFacts, Renewal, Store } from './store.ts'

export type Member = NodeFacts & { id: string }

/** For so long a node has to be apart before anything moves: a broker that comes back is heard by all within it. */
const APART_MS = 1000

type MembershipOptions = {
  node: string
  store: Store
  clock: Clock
  log: Log
  /** Told when a node comes, goes or changes. */
  changed(members: Member[]): void
}

export class Membership {
  readonly #options: MembershipOptions
  readonly #silent = new SilentNodes()
  #members: LeasedNode[] = []
  #version: number | undefined
  #reading: Promise<void> | undefined
  /** Since when nodes have been apart from most others, by the monotonic clock. */
  #apart = new Map<string, number>()
  #was_apart = ''

  constructor(options: MembershipOptions) {
    this.#options = options
  }

  /** The nodes that hold leases. */
  members(): Member[] {
    return this.#members.map(({ id, facts }) => ({ ...facts, id }))
  }

  /** Those that may own partitions: they stay, and most others hear them. */
  able(): Member[] {
    return this.members().filter(({ id, leaving }) => !leaving && !this.isApart(id))
  }

  /** A renewal was answered: it tells of nodes that are silent, and whether anybody came, went or changed. */
  renewed(renewal: Renewal, sent: number, answered: number): void {
    const { node } = this.#options
    for (const { id, stamp } of this.#silent.look(renewal, sent, answered, node)) void this.#bury(id, stamp)
    if (renewal.membership !== this.#version) void this.read(renewal.membership)
    this.#lookApart()
  }

  /** Reads the members anew; one at a time. */
  read(version?: number): Promise<void> {
    this.#reading ??= this.#read(version).finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #read(version: number | undefined): Promise<void> {
    const { store, log } = this.#options
    try {
      const members = await store.members()
      this.#noteLeft(members)
      this.#members = members
      this.#version = version
      this.#lookApart()
      this.#tell()
    } catch (error) {
      log.warn({ error: (error as Error).message }, 'reading the nodes failed')
    }
  }

  #noteLeft(members: LeasedNode[]): void {
    const there = new Set(members.map(({ id }) => id))
    for (const { id } of this.#members) {
      if (!there.has(id)) this.#options.log.info({ node: id }, 'the lease of a node has ended')
    }
  }

  async #bury(id: string, stamp: number): Promise<void> {
    const { store, log } = this.#options
    try {
      if (!(await store.endLease(id, stamp))) return
      log.warn({ node: id }, 'a node is silent: its lease was ended')
      this.#members = this.#members.filter((member) => member.id !== id)
      await this.read()
    } catch (error) {
      log.warn({ node: id, error: (error as Error).message }, 'ending the lease of a silent node failed')
    }
  }

  #lookApart(): void {
    const now = this.#options.clock.monotonic()
    const before = this.#apart
    this.#apart = new Map([...apart(this.#members)].map((id) => [id, before.get(id) ?? now]))
    const found = [...this.#apart.keys()].filter((id) => this.isApart(id)).join()
    if (found === this.#was_apart) return
    this.#was_apart = found
    if (found) this.#options.log.warn({ nodes: found }, 'nodes that most others do not hear get no partitions')
    this.#tell()
  }

  /** Whether most others do not hear this node. */
  isApart(id: string): boolean {
    const since = this.#apart.get(id)
    return since !== undefined && this.#options.clock.monotonic() - since >= APART_MS
  }

  #tell(): void {
    this.#options.changed(this.members())
  }
}

/**
 * The nodes that do not hear the broker that most hear. Without a majority nobody is apart: then no part could serve the
 * whole better than each serves its own.
 */
function apart(members: readonly LeasedNode[]): Set<string> {
  const groups = new Map<string, number>()
  for (const { facts } of members) if (facts.broker) groups.set(facts.broker, (groups.get(facts.broker) ?? 0) + 1)
  const [first] = [...groups].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  if (!first || first[1] * 2 < members.length) return new Set()
  return new Set(members.filter(({ facts }) => facts.broker !== first[0]).map(({ id }) => id))
}
