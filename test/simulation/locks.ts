/** Row locks of the modelled PostgreSQL: for share and for update, first come first served, until the transaction ends. */
import type { Event, World } from './world.ts'

export type Mode = 'share' | 'update'
type Waiting = { holder: object; mode: Mode; granted: () => void; timeout: Event | undefined }
type Lock = { holders: Map<object, Mode>; waiting: Waiting[] }

export class Locks {
  readonly #world: World
  readonly #locks = new Map<string, Lock>()
  readonly #held = new Map<object, Set<string>>()

  constructor(world: World) {
    this.#world = world
  }

  /** Calls `granted`, at once when the row is free. Calls `late` after `ms` without the lock (0: never). */
  acquire(holder: object, row: string, mode: Mode, ms: number, granted: () => void, late: () => void): void {
    let lock = this.#locks.get(row)
    if (!lock) {
      lock = { holders: new Map(), waiting: [] }
      this.#locks.set(row, lock)
    }
    if (isFree(lock, holder, mode) && (lock.waiting.length === 0 || lock.holders.has(holder))) {
      this.#grant(lock, row, holder, mode)
      granted()
      return
    }
    const waiting: Waiting = { holder, mode, granted, timeout: undefined }
    lock.waiting.push(waiting)
    if (ms === 0) return
    waiting.timeout = this.#world.at(this.#world.time + ms, () => {
      lock.waiting.splice(lock.waiting.indexOf(waiting), 1)
      late()
      this.#next(lock, row)
    })
  }

  /** Gives up all locks that the holder has and waits for. */
  release(holder: object): void {
    for (const [row, lock] of this.#locks) {
      if (lock.waiting.length === 0) continue
      const left = lock.waiting.filter((one) => {
        if (one.holder !== holder) return true
        if (one.timeout) one.timeout.run = undefined
        return false
      })
      if (left.length === lock.waiting.length) continue
      lock.waiting = left
      this.#next(lock, row)
    }
    const held = this.#held.get(holder)
    if (!held) return
    this.#held.delete(holder)
    for (const row of held) {
      const lock = this.#locks.get(row)!
      lock.holders.delete(holder)
      this.#next(lock, row)
    }
  }

  /** Gives up all locks and all waits, as a crash does. */
  clear(): void {
    for (const { waiting } of this.#locks.values()) {
      for (const { timeout } of waiting) if (timeout) timeout.run = undefined
    }
    this.#locks.clear()
    this.#held.clear()
  }

  #grant(lock: Lock, row: string, holder: object, mode: Mode): void {
    if (lock.holders.get(holder) !== 'update') lock.holders.set(holder, mode)
    const held = this.#held.get(holder)
    if (held) held.add(row)
    else this.#held.set(holder, new Set([row]))
  }

  #next(lock: Lock, row: string): void {
    for (let first = lock.waiting[0]; first && isFree(lock, first.holder, first.mode); first = lock.waiting[0]) {
      lock.waiting.shift()
      if (first.timeout) first.timeout.run = undefined
      this.#grant(lock, row, first.holder, first.mode)
      first.granted()
    }
    if (lock.holders.size > 0 || lock.waiting.length > 0) return
    // A holder that just got the lock may have given it up, and another lock of the row may exist by now.
    if (this.#locks.get(row) === lock) this.#locks.delete(row)
  }
}

function isFree(lock: Lock, holder: object, mode: Mode): boolean {
  if (lock.holders.size === 0) return true
  if (lock.holders.size === 1 && lock.holders.has(holder)) return true
  if (mode === 'update') return false
  for (const [other, held] of lock.holders) if (other !== holder && held === 'update') return false
  return true
}
