/**
 * The consoles of a history. Each begins to watch a counter at some moment: the nodes learn of it one after the other,
 * then it reads the stored state. From then on it knows what it read and what it was told, and reads again where it is
 * told that something may be missing.
 *
 *  It models `runtime/live/`: the time until a node knows (`interest.ts`), the resync after an answer that is missing or
 *  after partitions have moved, and the notices that are gathered.
 */
import type { Announcer } from '../../runtime/messages/ports.ts'
import type { CounterState } from './actors.ts'
import type { SimulatedCluster } from './cluster.ts'
import type { Host } from './host.ts'
import type { World } from './world.ts'

/** The time after which a watcher no longer waits for the nodes that have not answered, and reads again a moment later. */
const ANSWER_MS = 1000
const READ_AGAIN_MS = 1500
const RESYNC_MS = 500
const GATHERED_MS = 500
/** Upper bound of the time that a message between nodes takes. */
const TRAVEL_MS = 20

type Watcher = {
  channel: string
  /** The nodes that do not know yet. */
  ignorant: Set<Host>
  /** The operations that it knows of. */
  seen: Set<number>
  has_read: boolean
}

export class Watchers {
  readonly #world: World
  readonly #cluster: SimulatedCluster
  readonly #watchers: Watcher[] = []
  #is_resyncing = false

  constructor(world: World, cluster: SimulatedCluster) {
    this.#world = world
    this.#cluster = cluster
  }

  /** Plans watchers of counters that begin between the times `from` and `to`. */
  plan(from: number, to: number): void {
    for (let i = this.#world.pick([0, 2, 8]); i > 0; i--) {
      const channel = `counter-c${this.#world.whole(0, 3)}`
      this.#world.at(this.#world.between(from, to), () => this.#begin(channel))
    }
  }

  /** The part of a node that knows of the watchers. */
  announcer(host: Host): Announcer {
    return {
      isWatched: (channel) => this.#of(channel).some(({ ignorant }) => !ignorant.has(host)),
      publish: (events) => {
        for (const { channel, json } of events) this.#tell(channel, [JSON.parse(json).data.id])
      },
      gather: (notices) => {
        for (const { channel, ids } of notices)
          host.clock.after(GATHERED_MS, () => this.#tell(channel, [...ids].map(Number)))
      },
      drop: (channel) => this.#miss(channel),
      miss: (channel) => this.#miss(channel),
      resync: () => this.#resync(),
      stop() {},
      stats: { published: 0, received: 0, resyncs: 0, gaps: { reads: 0, shared: 0 } },
    }
  }

  #of(channel: string): Watcher[] {
    return this.#watchers.filter((watcher) => watcher.channel === channel)
  }

  #begin(channel: string): void {
    const hosts = this.#cluster.members.map(({ host }) => host).filter(({ is_dead }) => !is_dead)
    // A node that starts later treats every channel as watched at first.
    const watcher: Watcher = { channel, ignorant: new Set(hosts), seen: new Set(), has_read: false }
    this.#watchers.push(watcher)
    for (const host of hosts) {
      host.later(this.#world.between(0, TRAVEL_MS), () => {
        watcher.ignorant.delete(host)
        if (watcher.ignorant.size === 0) this.#readFirst(watcher)
      })
    }
    this.#world.at(this.#world.time + ANSWER_MS, () => {
      if (watcher.has_read) return
      this.#readFirst(watcher)
      this.#readLater(watcher, READ_AGAIN_MS)
    })
  }

  #readFirst(watcher: Watcher): void {
    if (watcher.has_read) return
    watcher.has_read = true
    this.#readLater(watcher, 0)
  }

  #readLater(watcher: Watcher, ms: number): void {
    this.#world.at(this.#world.time + ms + this.#world.between(0, TRAVEL_MS), () => {
      for (const id of this.#stored(watcher.channel)) watcher.seen.add(id)
    })
  }

  #stored(channel: string): number[] {
    const json = this.#cluster.server.tables.states.get(channel.replace('-', '/'))
    return json === undefined ? [] : (JSON.parse(json) as CounterState).ids
  }

  #tell(channel: string, ids: number[]): void {
    const before = new Set(this.#of(channel))
    this.#world.at(this.#world.time + this.#world.between(0, TRAVEL_MS), () => {
      for (const { seen } of before) for (const id of ids) seen.add(id)
    })
  }

  #miss(channel: string): void {
    for (const watcher of this.#of(channel)) if (watcher.has_read) this.#readLater(watcher, 0)
  }

  /** Several causes within a moment lead to one reading of all watchers. */
  #resync(): void {
    if (this.#is_resyncing) return
    this.#is_resyncing = true
    this.#world.at(this.#world.time + RESYNC_MS, () => {
      this.#is_resyncing = false
      for (const watcher of this.#watchers) if (watcher.has_read) this.#readLater(watcher, 0)
    })
  }

  /** Checks that each watcher knows of all that is stored. */
  check(find: (text: string) => void): void {
    for (const { channel, seen } of this.#watchers) {
      const missed = this.#stored(channel).filter((id) => !seen.has(id))
      if (missed.length > 0) find(`missed: a watcher of ${channel} was not told of ${missed.join(', ')}`)
    }
  }
}
