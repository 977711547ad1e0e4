/**
 * Durable timers. The truth is the `timer` table; the owner of a partition holds the near ones in memory (those due
 * within the horizon) and looks at the table again well before the horizon is reached.
 *
 * A timer fires as a message to its actor and its row is deleted in the transaction of that turn, so it takes effect
 * once; a change of the same timer after it fired but before it was applied wins (see `Part.timer`).
 */
import type { Message } from './actor.ts'
import type { Clock } from './clock.ts'
import type { Log } from './log.ts'
import type { Store } from './store.ts'

export type Fired = { partition: number; address: string; name: string; due: number; message: Message }

const HORIZON_MS = 60_000
const SCAN_MS = 20_000
const PAGE = 5000

type Armed = Fired & { fired: boolean }

export class Timers {
  readonly #store: Store
  readonly #clock: Clock
  readonly #fire: (fired: Fired) => void
  readonly #log: Log
  readonly #armed = new Map<string, Armed>()
  /** A binary heap by due time; an entry whose timer changed is stale and passed over. */
  #heap: { due: number; id: string }[] = []
  /** Timers committed while a scan is under way: what the scan saw of them may be older. */
  readonly #recent = new Set<string>()
  #scans = 0
  #cancel: (() => void) | undefined
  #wakeAt = Number.POSITIVE_INFINITY
  #scanner: (() => void) | undefined
  #partitions: () => Iterable<number> = () => []
  #stopped = false

  constructor(options: { store: Store; clock: Clock; fire: (fired: Fired) => void; log: Log }) {
    this.#store = options.store
    this.#clock = options.clock
    this.#fire = options.fire
    this.#log = options.log
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

  /** Takes up the near timers of partitions, and at a takeover (`awake`) names the actors to be woken. */
  async scan(partitions: number[], awake?: (address: string, partition: number) => void): Promise<void> {
    if (partitions.length === 0) return
    if (this.#scans++ === 0) this.#recent.clear()
    const horizon = this.#clock.now() + HORIZON_MS
    try {
      for (let after = ''; ; ) {
        const rows = await this.#store.readTimers(partitions, horizon, awake !== undefined, after, PAGE)
        for (const { due, ...timer } of rows) {
          if (due === null) awake?.(timer.address, timer.partition)
          else this.#found({ ...timer, due })
        }
        if (rows.length < PAGE) return
        const { address, name } = rows[rows.length - 1]!
        after = `${address} ${name}`
      }
    } catch (error) {
      this.#log.warn({ error: (error as Error).message }, 'scanning timers failed, trying again soon')
      if (awake && !this.#stopped) {
        await new Promise<void>((resolve) => this.#clock.after(500, resolve))
        return this.scan(partitions, awake)
      }
    } finally {
      this.#scans--
    }
  }

  /** A scan saw this timer. The setting that is armed, or has fired and waits to be applied, stays as it is. */
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
      this.#armed.delete(id)
      return
    }
    this.#armed.set(id, { ...timer, fired: false })
    if (this.#heap.length > 2 * this.#armed.size + 1000) this.#compact()
    else this.#push({ due: timer.due, id })
    this.#schedule()
  }

  /** Drops the stale entries that often moved timers leave behind. */
  #compact(): void {
    this.#heap = []
    for (const [id, armed] of this.#armed) if (!armed.fired) this.#push({ due: armed.due, id })
  }

  /** A timer was cancelled, or applied: its row is gone. */
  clear(address: string, name: string, due?: number): void {
    const id = `${address} ${name}`
    if (this.#scans > 0) this.#recent.add(id)
    if (due === undefined || this.#armed.get(id)?.due === due) this.#armed.delete(id)
  }

  /** Forgets all timers of a partition that has another owner now. */
  forget(partition: number): void {
    for (const [id, armed] of this.#armed) if (armed.partition === partition) this.#armed.delete(id)
  }

  stop(): void {
    this.#stopped = true
    this.#cancel?.()
    this.#scanner?.()
    this.#armed.clear()
  }

  #schedule(): void {
    const first = this.#heap[0]
    if (!first || this.#stopped || first.due >= this.#wakeAt) return
    this.#cancel?.()
    this.#wakeAt = first.due
    this.#cancel = this.#clock.after(Math.max(0, first.due - this.#clock.now()), () => {
      this.#wakeAt = Number.POSITIVE_INFINITY
      this.#cancel = undefined
      this.#run()
    })
  }

  #run(): void {
    const now = this.#clock.now()
    for (let first = this.#heap[0]; first && first.due <= now; first = this.#heap[0]) {
      this.#pop()
      const armed = this.#armed.get(first.id)
      if (!armed || armed.due !== first.due || armed.fired) continue
      armed.fired = true
      this.#fire(armed)
    }
    this.#schedule()
  }

  #push(item: { due: number; id: string }): void {
    const heap = this.#heap
    let at = heap.push(item) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (heap[parent]!.due <= item.due) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = item
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop()!
    if (heap.length === 0) return
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && heap[child + 1]!.due < heap[child]!.due) child++
      if (heap[child]!.due >= last.due) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
  }
}
