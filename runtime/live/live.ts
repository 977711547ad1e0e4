/**
 * Live events: each commit publishes its changes to the present watchers. At most once, and nothing depends on it:
 * PostgreSQL has the truth, and where events may have been lost, watchers are told to read it again.
 *
 *  L1 No event is published before its commit.
 *  L2 A channel without watchers costs a look into a map.
 *  L3 Events that may be lost make every watcher of the cluster read again. Causes: a publish in doubt, a broker that
 *  was away, a node that vanished with unpublished events or joined and may not know the watchers yet, a partition that
 *  changed hands.
 *  L4 A turn that found no watcher when it was decided, and commits when there is one, makes the watchers of its channel
 *  read again. So does an event that could not be made.
 *
 * One file: the ways of losing an event all end in the same few members.
 */
import type { NatsConnection } from '@nats-io/transport-node'
import type { Bus } from '../broker/bus.ts'
import type { Log } from '../log.ts'
import type { Clock } from '../time/clock.ts'
import { type OutgoingEvent, textsOf } from './event_batch.ts'
import { Feed, type LiveListener, type StreamGeneration, TRAVEL_MS } from './feed.ts'
import { GatheredNotices, type OutgoingNotice } from './gathered_notices.ts'
import { Interest } from './interest.ts'
import { DROPPED, type Event, type GapStats, LiveStream } from './stream.ts'

/** The interface for the layers above: one listener for each channel of this node. */
export interface LiveFeeds {
  /** Listens to a channel; each caller passes its own `listener`. Rejects while the broker is away. */
  open(channel: string, listener: LiveListener): Promise<LiveFeed>
}

export type LiveFeed = Pick<Feed, 'resume'> & { close(): void }

const LOOK_MS = 1000
/** The feeds are compared with the stream once in this many looks. */
const COMPARED = 20
/** A timer that fires this late means that this node was suspended and may have missed events. */
const AWAY_MS = 10_000
/** Several causes within this time lead to one resync. */
const RESYNC_MS = 500
/** Minimum time between two resyncs: at each, all watchers read everything they show. */
const REST_MS = 3000
/** Not below `live`, because the stream keeps those subjects. */
const RESYNC = 'resync'

type LiveOptions = {
  nats: NatsConnection
  prefix: string
  replicas: number
  bus: Bus
  node: string
  clock: Clock
  log: Log
  /** The ids of all living nodes, this one included. */
  members: () => string[]
  /** True when there can be no other node. */
  alone: boolean
}

export class Live implements LiveFeeds {
  readonly #options: LiveOptions
  readonly #stream: LiveStream
  readonly #interest: Interest
  readonly #stream_generation: StreamGeneration
  readonly #feeds = new Map<string, { stop: () => void; opened: Feed | undefined }>()
  #unpublished = new Map<string, OutgoingEvent[]>()
  #dropped = new Set<string>()
  #missed = new Set<string>()
  readonly #notices: GatheredNotices
  #publication: NodeJS.Immediate | undefined
  #known_members: Set<string>
  #timer: NodeJS.Timeout | undefined
  #looked_at: number
  #looks = 0
  #is_resyncing = false
  #resync_at = Number.NEGATIVE_INFINITY
  #unlisten: (() => void) | undefined
  readonly stats: { published: number; received: number; resyncs: number; gaps: GapStats }

  constructor(options: LiveOptions) {
    const { nats, prefix, replicas, node, clock, members, alone } = options
    this.#options = options
    this.#stream = new LiveStream(nats, prefix, replicas)
    this.stats = { published: 0, received: 0, resyncs: 0, gaps: this.#stream.gaps }
    const others = () => members().filter((id) => id !== node)
    this.#interest = new Interest(nats, prefix, { node, clock, others, alone })
    this.#stream_generation = { generation: '', whole_since: clock.now() }
    this.#looked_at = clock.now()
    this.#known_members = new Set([node])
    this.#notices = new GatheredNotices(clock, (events) => this.publish(events))
  }

  /** Never rejects: without a stream there is nothing to watch, and all else works. */
  async start(): Promise<void> {
    this.#interest.start()
    this.#timer = setInterval(() => void this.#look(), LOOK_MS)
    this.#timer.unref()
    this.#unlisten = await this.#options.bus.listen(
      RESYNC,
      (node) => {
        if (node !== this.#options.node) void this.#lose()
      },
      () => this.resync(),
    )
    await this.#settle().catch((error) =>
      this.#options.log.warn({ error: error.message }, 'the stream of live events is not available yet'),
    )
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#notices.flush()
    this.#unlisten?.()
    this.#interest.stop()
    for (const { stop } of this.#feeds.values()) stop()
    this.#feeds.clear()
  }

  isWatched(channel: string): boolean {
    return this.#interest.has(channel)
  }

  /**
   * Called after the commit. Events committed in one turn of the event loop are published together. Never throws and
   * never waits.
   */
  publish(events: readonly OutgoingEvent[]): void {
    this.#publication ??= setImmediate(() => this.#publishAll())
    for (const event of events) {
      const waiting = this.#unpublished.get(event.channel)
      if (waiting) waiting.push(event)
      else this.#unpublished.set(event.channel, [event])
    }
  }

  #publishAll(): void {
    const all = this.#unpublished
    const dropped = this.#dropped
    const missed = this.#missed
    this.#unpublished = new Map()
    this.#dropped = new Set()
    this.#missed = new Set()
    this.#publication = undefined
    const published: Promise<void>[] = []
    const publish = (channel: string, text: string) => {
      this.stats.published++
      const lost = (error: Error) => {
        this.#options.log.debug({ channel, error: error.message }, 'a live event may be lost')
        this.#report()
      }
      published.push(this.#stream.publish(channel, text).catch(lost))
    }
    for (const [channel, events] of all) for (const text of textsOf(events)) publish(channel, text)
    for (const channel of missed) publish(channel, DROPPED)
    if (dropped.size > 0) void Promise.all(published).then(() => this.#dropAll(dropped))
  }

  async #dropAll(channels: ReadonlySet<string>): Promise<void> {
    for (const channel of channels) {
      await this.#stream.drop(channel).catch((error: Error) => {
        this.#options.log.warn(
          { channel, error: error.message },
          'erased records stay among the live events for minutes',
        )
      })
    }
  }

  /**
   * Removes the events of a channel from the stream. The marker that follows shows every node a gap: nodes forget what they
   * keep of the channel, and its watchers read again. Never throws and never waits.
   */
  drop(channel: string): void {
    this.#notices.drop(channel)
    this.#dropped.add(channel)
    this.publish([])
  }

  /** Called after the commit. The watchers of the channel read again: an event is missing. Never throws and never waits. */
  miss(channel: string): void {
    this.#missed.add(channel)
    this.publish([])
  }

  /** Called after the commit. Never throws and never waits. */
  gather(notices: readonly OutgoingNotice[]): void {
    for (const notice of notices) this.#notices.add(notice)
  }

  /** Events of any channel, and announcements of watchers, may have been lost: all watchers of all nodes read again. */
  resync(): void {
    this.#interest.doubt()
    this.#report()
  }

  #report(): void {
    if (this.#is_resyncing) return
    this.#is_resyncing = true
    const { clock } = this.#options
    clock.after(Math.max(RESYNC_MS, this.#resync_at + REST_MS - clock.now()), () => {
      this.#is_resyncing = false
      this.#resync_at = clock.now()
      this.stats.resyncs++
      this.#options.bus.publish(RESYNC, this.#options.node)
      void this.#lose()
    })
  }

  async #lose(): Promise<void> {
    this.#stream_generation.whole_since = this.#options.clock.now()
    // First, so that changes after the reading are published.
    this.#interest.announce()
    try {
      await this.#settle()
    } catch {
      // The stream is not there yet; the next look finds it.
    }
    // Positions given out meanwhile do not cover the missing events.
    this.#stream_generation.whole_since = this.#options.clock.now()
    for (const { opened } of this.#feeds.values()) opened?.lose(0)
  }

  /** Creates the stream where it is missing and notices when it has begun to number anew. Resolves to its last number. */
  async #settle(): Promise<number> {
    const received = [...this.#feeds.values()].reduce((most, { opened }) => Math.max(most, opened?.last ?? 0), 0)
    const { generation, last } = await this.#stream.ensure()
    const is_other = this.#stream_generation.generation !== generation
    // A server of a cluster that has lost its memory has the stream again, at the age it had.
    const has_forgotten = !is_other && last < received
    if (is_other || has_forgotten) {
      this.#stream_generation.generation = generation
      for (const { opened } of this.#feeds.values()) opened?.restart(last)
    }
    // The positions of all nodes are void, and nothing else shows it.
    if (has_forgotten) this.resync()
    return last
  }

  async open(channel: string, listener: LiveListener): Promise<LiveFeed> {
    if (this.#feeds.has(channel)) throw new Error(`${channel} is listened to already`)
    const entry = { stop: () => {}, opened: undefined as Feed | undefined }
    this.#feeds.set(channel, entry)
    try {
      const feed = await this.#open(channel, listener, (stop) => {
        entry.stop = stop
      })
      entry.opened = feed
      return {
        resume: (after, begin) => feed.resume(after, begin),
        close: () => {
          if (this.#feeds.get(channel) !== entry) return
          this.#feeds.delete(channel)
          this.#interest.end(channel)
          entry.stop()
        },
      }
    } catch (error) {
      this.#feeds.delete(channel)
      this.#interest.end(channel)
      entry.stop()
      throw error
    }
  }

  async #open(channel: string, listener: LiveListener, stops: (stop: () => void) => void): Promise<Feed> {
    let feed: Feed | undefined
    const early: Event[] = []
    stops(
      await this.#stream.listen(channel, (event) => {
        this.stats.received++
        if (!feed) early.push(event)
        else if (!feed.receive(event)) this.resync()
      }),
    )
    const is_known = await this.#interest.begin(channel)
    const last = await this.#settle()
    feed = new Feed(channel, this.#stream, this.#options.clock, this.#stream_generation, listener, last)
    for (const event of early) feed.receive(event)
    // A server of the broker may have learned a moment late of this subscription, and so may a node.
    this.#options.clock.after(TRAVEL_MS, () => {
      const opened = this.#feeds.get(channel)?.opened
      if (!is_known) this.resync()
      else if (opened) void this.#compare(channel, opened).catch(() => {})
    })
    return feed
  }

  async #look(): Promise<void> {
    const now = this.#options.clock.now()
    const was_away = now - this.#looked_at > AWAY_MS
    this.#looked_at = now
    const members = new Set(this.#options.members())
    const changed = members.symmetricDifference(this.#known_members).size > 0
    this.#known_members = members
    // A node that has gone may have had unpublished events. A node that has come may be back, and have assumed that
    // there are no watchers.
    if (was_away || changed) this.resync()
    if (++this.#looks % COMPARED !== 0 || this.#feeds.size === 0) return
    try {
      await this.#settle()
      for (const [channel, { opened }] of this.#feeds) if (opened) await this.#compare(channel, opened)
    } catch {
      // The broker is away; its return is noticed.
    }
  }

  /** Reads the stream's last number, because the last event of a channel may have been lost with no later one to show the gap. */
  async #compare(channel: string, feed: Feed): Promise<void> {
    const last = await this.#stream.lastOf(channel)
    if (last <= feed.last) return
    this.#options.clock.after(TRAVEL_MS, () => {
      if (last > feed.last) feed.lose(last)
    })
  }
}
