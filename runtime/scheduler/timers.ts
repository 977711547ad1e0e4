/**
 * Durable timers. The `timer` table has the truth. The owner of a partition holds its near timers in memory: those due
 * within the horizon, earliest first, and no more than it can soon handle. It reads the table again well before the
 * horizon is reached, or when most of a partition's timers in memory are done.
 *
 * An actor that does not apply its timers, because its turn waits for a lock or for a newer node, keeps few places here: scans leave
 * it out until it goes on, so that the timers of the other actors of its partition are found.
 *
 * A timer fires as a message to its actor, and the transaction of that turn deletes its row, so it takes effect once. A
 * change of the same timer after it fired but before it was applied wins (see `PendingTurn.timer`).
 */
import type { Message } from '../actor/actor.ts'
import type { Store } from '../commit/store.ts'
import type { Log } from '../log.ts'
import { type Clock, sleep } from '../time/clock.ts'
import { DueHeap } from '../time/due_heap.ts'

export type Fired = { partition: number; address: string; name: string; due: number; message: Message }

const HORIZON_MS = 60_000
const SCAN_MS = 20_000
/** Maximum timers in memory that scans bring, of all partitions together, and the minimum of each partition. */
const HELD = 10_000
const HELD_EACH = 32
/** Maximum timers in memory from all sources. Beyond it a timer is left to a scan. */
const MAX = 100_000
/** Pause between two looks at the wall clock, which may be set meanwhile. */
const LOOK_MS = 1000
/** Pause between two looks for more overdue timers. */
const MORE_MS = 20
/** An actor with more fired timers than these that are not applied has no more read. */
const FIRED = 8
/** Maximum actors that a scan leaves out. */
const LEFT_OUT = 1000
/** Number of actors woken together at a takeover. */
const WOKEN = 1000

type Armed = Fired & { fired: boolean }

export class Timers {
  readonly #store: Store
  readonly #clock: Clock
  readonly #fire: (fired: Fired) => void
  readonly #log: Log
  readonly #armed = new Map<string, Armed>()
  /** Number of armed timers by partition. */
  readonly #counts = new Map<number, number>()
  /** Number of armed timers, and of the fired ones among them, by actor. */
  readonly #of_actor = new Map<string, { partition: number; armed: number; fired: number }>()
  /** Actors that a scan leaves out. */
  readonly #late = new Set<string>()
  /** An entry whose timer changed is stale and skipped. */
  readonly #heap = new DueHeap<{ due: number; id: string }>()
  /** Timers committed while a scan is under way, because the scan may have read older settings. */
  readonly #recent = new Set<string>()
  /** Partitions that have more near timers than memory holds; scanned again when half of those are done. */
  readonly #more = new Set<number>()
  /** The last scan that had begun when a partition was lost. Its rows may be older than those of another owner. */
  readonly #lost_in = new Map<number, number>()
  #scans = 0
  #last_scan = 0
  #cancel: (() => void) | undefined
  #wakeAt = Number.POSITIVE_INFINITY
  #scanner: (() => void) | undefined
  #looking = false
  #partitions: () => Iterable<number> = () => []
  #each = HELD_EACH
  #stopped = false

  constructor(options: { store: Store; clock: Clock; fire: (fired: Fired) => void; log: Log }) {
    this.#store = options.store
    this.#clock = options.clock
    this.#fire = options.fire
    this.#log = options.log
  }

  /** Near timers in memory. */
  get armed(): number {
    return this.#armed.size
  }

  /** Starts scanning the partitions that the given function names at each scan. */
  start(partitions: () => Iterable<number>): void {
    this.#partitions = partitions
    const again = () => {
      this.#scanner = this.#clock.after(SCAN_MS, () => {
        void this.scan([...this.#partitions()]).finally(() => !this.#stopped && again())
      })
    }
    again()
  }

  /** Reads the near timers of partitions. Never rejects: the next scan repeats a failed one. */
  async scan(partitions: number[]): Promise<void> {
    if (partitions.length === 0 || this.#stopped) return
    const count = Math.max(partitions.length, this.#counts.size, [...this.#partitions()].length)
    this.#each = Math.max(HELD_EACH, Math.ceil(HELD / count))
    if (this.#scans++ === 0) this.#recent.clear()
    const scan = ++this.#last_scan
    try {
      const without = [...this.#late].slice(0, LEFT_OUT)
      // One more than the limit shows that there are more.
      const rows = await this.#store.readTimers(partitions, this.#clock.now() + HORIZON_MS, this.#each + 1, without)
      const found = new Map<number, number>()
      for (const { partition } of rows) found.set(partition, (found.get(partition) ?? 0) + 1)
      for (const partition of partitions) {
        if ((found.get(partition) ?? 0) > this.#each) this.#more.add(partition)
        else this.#more.delete(partition)
      }
      // The next owner arms the timers of partitions that were lost meanwhile. If that is this node, another scan did.
      const owned = new Set(this.#partitions())
      const isKept = (partition: number) => owned.has(partition) && (this.#lost_in.get(partition) ?? 0) < scan
      for (const timer of rows) if (isKept(timer.partition)) this.#found(timer)
    } catch (error) {
      for (const partition of partitions) this.#more.add(partition)
      this.#log.warn({ error: (error as Error).message }, 'scanning timers failed, trying again soon')
      this.#lookForMore(500)
    } finally {
      this.#scans--
    }
  }

  /** Names the actors of newly taken partitions that must be woken. Retries until it can. */
  async wake(partitions: number[], woken: (address: string, partition: number) => void): Promise<void> {
    if (partitions.length === 0) return
    for (let after = ''; !this.#stopped; ) {
      try {
        const rows = await this.#store.readAwake(partitions, after, WOKEN)
        for (const { address, partition } of rows) woken(address, partition)
        if (rows.length < WOKEN) return
        after = rows.at(-1)!.address
      } catch (error) {
        this.#log.warn({ error: (error as Error).message }, 'reading the actors to wake failed, trying again soon')
        await sleep(this.#clock, 500)
      }
    }
  }

  /** Some timers are done: there is room for more of the same partition. */
  #lookForMore(ms = MORE_MS): void {
    if (this.#looking || this.#stopped) return
    this.#looking = true
    this.#clock.after(ms, () => {
      this.#looking = false
      const owned = new Set(this.#partitions())
      const wanting = [...this.#more].filter((partition) => this.#wants(partition))
      for (const partition of wanting) this.#more.delete(partition)
      void this.scan(wanting.filter((partition) => owned.has(partition)))
    })
  }

  #wants(partition: number): boolean {
    let count = this.#counts.get(partition) ?? 0
    for (const address of this.#late) {
      const { partition: its, armed } = this.#of_actor.get(address)!
      if (its === partition) count -= armed
    }
    return count <= this.#each / 2
  }

  /** Notes that the number of an actor's timers has changed. */
  #count({ address, partition }: Fired, armed: number, fired: number): void {
    const actor = this.#of_actor.get(address) ?? { partition, armed: 0, fired: 0 }
    actor.armed += armed
    actor.fired += fired
    if (actor.armed > 0) this.#of_actor.set(address, actor)
    else this.#of_actor.delete(address)
    if (actor.fired > FIRED) this.#late.add(address)
    else if (actor.fired <= FIRED / 2 && this.#late.delete(address)) this.#more.add(partition)
  }

  /** A scan found this timer. A setting that is armed, or has fired and waits to be applied, stays as it is. */
  #found(timer: Fired): void {
    const id = `${timer.address} ${timer.name}`
    if (!this.#recent.has(id) && this.#armed.get(id)?.due !== timer.due) this.#arm(id, timer)
  }

  /** A timer was committed: it replaces any former setting, fired or not. */
  changed(timer: Fired): void {
    const id = `${timer.address} ${timer.name}`
    if (this.#scans > 0) this.#recent.add(id)
    this.#arm(id, timer)
  }

  #arm(id: string, timer: Fired): void {
    if (this.#stopped) return
    if (timer.due > this.#clock.now() + HORIZON_MS) {
      this.#disarm(id)
      return
    }
    if (this.#armed.size >= MAX && !this.#armed.has(id)) {
      this.#more.add(timer.partition)
      return
    }
    const former = this.#armed.get(id)
    if (!former) this.#counts.set(timer.partition, (this.#counts.get(timer.partition) ?? 0) + 1)
    this.#count(timer, former ? 0 : 1, former?.fired ? -1 : 0)
    this.#armed.set(id, { ...timer, fired: false })
    if (this.#heap.size > 2 * this.#armed.size + 1000) this.#compact()
    else this.#heap.push({ due: timer.due, id })
    this.#schedule()
  }

  /** Drops the stale entries of timers that moved often. */
  #compact(): void {
    this.#heap.clear()
    for (const [id, armed] of this.#armed) if (!armed.fired) this.#heap.push({ due: armed.due, id })
  }

  /** A timer was cancelled, or applied: its row is gone. */
  clear(address: string, name: string, due?: number): void {
    const id = `${address} ${name}`
    if (this.#scans > 0) this.#recent.add(id)
    if (due === undefined || this.#armed.get(id)?.due === due) this.#disarm(id)
  }

  #disarm(id: string): void {
    const armed = this.#armed.get(id)
    if (!armed) return
    const { partition } = armed
    this.#armed.delete(id)
    this.#count(armed, -1, armed.fired ? -1 : 0)
    const left = this.#counts.get(partition)! - 1
    if (left > 0) this.#counts.set(partition, left)
    else this.#counts.delete(partition)
    if (this.#more.has(partition) && this.#wants(partition)) this.#lookForMore()
  }

  /** Forgets all timers of a partition that has another owner now. */
  forget(partition: number): void {
    this.#lost_in.set(partition, this.#last_scan)
    this.#more.delete(partition)
    if (!this.#counts.delete(partition)) return
    for (const [id, armed] of this.#armed) {
      if (armed.partition !== partition) continue
      this.#armed.delete(id)
      this.#of_actor.delete(armed.address)
      this.#late.delete(armed.address)
    }
  }

  stop(): void {
    this.#stopped = true
    this.#cancel?.()
    this.#scanner?.()
    this.#armed.clear()
    this.#of_actor.clear()
    this.#late.clear()
  }

  #schedule(): void {
    const { first } = this.#heap
    if (!first || this.#stopped || first.due >= this.#wakeAt) return
    this.#cancel?.()
    this.#wakeAt = first.due
    this.#cancel = this.#clock.after(Math.min(Math.max(0, first.due - this.#clock.now()), LOOK_MS), () => {
      this.#wakeAt = Number.POSITIVE_INFINITY
      this.#cancel = undefined
      this.#run()
    })
  }

  #run(): void {
    const now = this.#clock.now()
    for (let { first } = this.#heap; first && first.due <= now; first = this.#heap.first) {
      this.#heap.pop()
      const armed = this.#armed.get(first.id)
      if (!armed || armed.due !== first.due || armed.fired) continue
      armed.fired = true
      this.#count(armed, 0, 1)
      if (this.#more.has(armed.partition) && this.#wants(armed.partition)) this.#lookForMore()
      this.#fire(armed)
    }
    this.#schedule()
  }
}
