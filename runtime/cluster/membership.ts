/** The members of the cluster: the nodes that hold leases, and whether they can reach each other over the broker. */
import { hashOf } from '../address.ts'
import type { LeasedNode, NodeFacts, Renewal, Store } from '../commit/store.ts'
import type { Log } from '../log.ts'
import type { Clock } from '../time/clock.ts'
import { SilentNodes } from './silent_nodes.ts'

export type Member = NodeFacts & { id: string }
type LeaseRow = { id: string; stamp: number }

/** A node has to be apart for this long before partitions move: a broker that comes back reaches all nodes within it. */
const APART_MS = 1000
/**
 * Minimum pause of a node between two reads that follow changes, for each member. All nodes together then read a
 * thousand rows in this many milliseconds.
 */
const READ_MS_EACH = 5
/** The members are read after this long even without a known change, later in large clusters. */
const REREAD_MS = 10_000
const REREAD_MS_EACH = 30
/** A change may be announced before it is visible; after this long its commit has ended. */
const AGAIN_MS = 500
/** Number of nodes that end the lease of a silent one at once; the others end it only when these did not. */
const HEIRS = 4
const LATE_MS = 1000

type MembershipOptions = {
  node: string
  store: Store
  clock: Clock
  log: Log
  /** Called when a node comes, goes or changes. */
  changed(members: Member[]): void
  /** Called when this node has ended leases of silent nodes. */
  ended(nodes: readonly string[]): void
}

export class Membership {
  readonly #options: MembershipOptions
  readonly #silent = new SilentNodes()
  #members: LeasedNode[] = []
  #version: number | undefined
  #floor = 0
  #changed_at = Number.NEGATIVE_INFINITY
  #read_at = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined
  #cancel: (() => void) | undefined
  #stopped = false
  /** The time since which each node has been apart from most others, by the monotonic clock. */
  #apart = new Map<string, number>()
  #was_apart = ''
  /** Silent nodes whose leases this node is ending. */
  readonly #ending = new Set<string>()

  constructor(options: MembershipOptions) {
    this.#options = options
  }

  /** The nodes that hold leases. */
  members(): Member[] {
    return this.#members.map(({ id, facts }) => ({ ...facts, id }))
  }

  /** The members that may own partitions: they are not leaving, and most others receive the same beacon. */
  able(): Member[] {
    return this.members().filter(({ id, leaving }) => !leaving && !this.isApart(id))
  }

  /** A renewal was answered: it lists silent nodes, and shows when a node came, went or changed. */
  renewed(renewal: Renewal, sent: number, answered: number): void {
    this.#silent.look(renewal, sent, answered)
    this.#floor = renewal.oldest[0]?.stamp ?? 0
    this.#endSilent(renewal.oldest)
    if (renewal.membership !== this.#version) {
      this.#version = renewal.membership
      this.#changed_at = answered
      this.#readSoon()
    } else if (answered - this.#read_at > Math.max(REREAD_MS, this.#members.length * REREAD_MS_EACH)) this.#readSoon()
    this.#lookApart()
  }

  /** The lease of this node has ended; the database may not be the one that was observed so far. */
  leaseEnded(): void {
    this.#silent.forget()
  }

  /** Other nodes announced that a node leaves, or that leases have ended. The table says so, too, but later. */
  heard(leaving: string | undefined, ended: readonly string[]): void {
    const gone = new Set(ended)
    const members = this.#members.filter(({ id }) => !gone.has(id))
    const leaver = members.findIndex(({ id, facts }) => id === leaving && !facts.leaving)
    if (leaver < 0 && members.length === this.#members.length) return
    const known = members[leaver]
    if (known) members[leaver] = { ...known, facts: { ...known.facts, leaving: true } }
    this.#noteLeft(members)
    this.#members = members
    this.#tell()
  }

  stop(): void {
    this.#stopped = true
    this.#cancel?.()
  }

  /**
   * Reads the members soon. Each node takes its own place in the time between two reads: a thousand nodes that all read
   * a thousand rows at each change would occupy PostgreSQL completely.
   */
  #readSoon(): void {
    if (this.#cancel || this.#stopped) return
    const { clock, node } = this.#options
    const between = this.#members.length * READ_MS_EACH
    const place = (hashOf(node) / 2 ** 32) * between
    this.#readIn(Math.max(place, this.#read_at + between - clock.monotonic()))
  }

  #readIn(ms: number): void {
    const { clock } = this.#options
    this.#cancel = clock.after(ms, () => {
      const from = clock.monotonic()
      void this.read().finally(() => {
        this.#cancel = undefined
        const again = this.#changed_at + AGAIN_MS - from
        if (again > 0 && !this.#stopped) this.#readIn(Math.max(again, this.#members.length * READ_MS_EACH))
      })
    })
  }

  /** Reads the members anew. Only one read runs at a time. */
  read(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #read(): Promise<void> {
    const { store, clock, log } = this.#options
    this.#read_at = clock.monotonic()
    try {
      const members = await store.members(this.#floor)
      this.#noteLeft(members)
      this.#members = members
      this.#endSilent(members)
      this.#lookApart()
      this.#tell()
    } catch (error) {
      // The next renewal leads to another read.
      this.#version = undefined
      log.warn({ error: (error as Error).message }, 'reading the nodes failed')
    }
  }

  #noteLeft(members: LeasedNode[]): void {
    const there = new Set(members.map(({ id }) => id))
    for (const { id } of this.#members) {
      if (!there.has(id)) this.#options.log.info({ node: id }, 'the lease of a node has ended')
    }
  }

  /** Ends the leases of the rows that were not renewed. `all`: also those that other nodes are to end first. */
  #endSilent(rows: readonly LeaseRow[], all = false): void {
    const late = new Set(this.#silent.dead(rows, LATE_MS))
    const dead = this.#silent.dead(rows).filter((row) => {
      const { id } = row
      return id !== this.#options.node && !this.#ending.has(id) && (all || late.has(row) || this.#isHeir(id))
    })
    if (dead.length > 0) void this.#end(dead)
  }

  /** True for the nodes that follow in the order of ids, so that not all of a thousand send the same to PostgreSQL. */
  #isHeir(id: string): boolean {
    const place = (id: string) => this.#members.findIndex((member) => member.id === id)
    const [mine, theirs, all] = [place(this.#options.node), place(id), this.#members.length]
    return mine < 0 || theirs < 0 || (mine - theirs + all) % all <= HEIRS
  }

  async #end(rows: readonly LeaseRow[]): Promise<void> {
    const done = await Promise.all(rows.map((row) => this.#endOne(row)))
    const ended = rows.flatMap(({ id }, index) => (done[index] ? [id] : []))
    if (ended.length === 0) return
    this.#members = this.#members.filter(({ id }) => !ended.includes(id))
    this.#options.ended(ended)
    this.#tell()
    await this.read()
    // Several nodes may have died at once, and a look shows only a few of them.
    this.#endSilent(this.#members, true)
  }

  async #endOne({ id, stamp }: LeaseRow): Promise<boolean> {
    const { store, log } = this.#options
    this.#ending.add(id)
    try {
      const ended = await store.endLease(id, stamp)
      if (ended) log.warn({ node: id }, 'a node is silent: its lease was ended')
      return ended
    } catch (error) {
      log.warn({ node: id, error: (error as Error).message }, 'ending the lease of a silent node failed')
      return false
    } finally {
      this.#ending.delete(id)
    }
  }

  #lookApart(): void {
    const now = this.#options.clock.monotonic()
    const before = this.#apart
    this.#apart = new Map([...apart(this.#members)].map((id) => [id, before.get(id) ?? now]))
    const found = [...this.#apart.keys()].filter((id) => this.isApart(id)).join()
    if (found === this.#was_apart) return
    this.#was_apart = found
    if (found) this.#options.log.warn({ nodes: found }, 'nodes without the beacon of most nodes get no partitions')
    this.#tell()
  }

  /** True when most other nodes do not receive the same beacon as this node. */
  isApart(id: string): boolean {
    const since = this.#apart.get(id)
    // A reading may be as old as the pause between two reads.
    const least = APART_MS + this.#members.length * READ_MS_EACH
    return since !== undefined && this.#options.clock.monotonic() - since >= least
  }

  #tell(): void {
    this.#options.changed(this.members())
  }
}

/**
 * The nodes that do not receive the broker's beacon that most receive. Without a majority no node is apart: no part
 * could then serve the whole better than each serves its own.
 */
function apart(members: readonly LeasedNode[]): Set<string> {
  const groups = new Map<string, number>()
  for (const { facts } of members) if (facts.broker) groups.set(facts.broker, (groups.get(facts.broker) ?? 0) + 1)
  const [first] = [...groups].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  if (!first || first[1] * 2 < members.length) return new Set()
  return new Set(members.filter(({ facts }) => facts.broker !== first[0]).map(({ id }) => id))
}
