/** Names that wait, each until a time of its own (milliseconds). Each step costs the logarithm of their number. */
import { DueHeap } from '../../runtime/mod.ts'

export class TimedNames {
  readonly #times = new Map<string, number>()
  /** An entry whose name has another time by now is stale. */
  readonly #heap = new DueHeap<{ due: number; name: string }>()

  get size(): number {
    return this.#times.size
  }

  has(name: string): boolean {
    return this.#times.has(name)
  }

  set(name: string, due: number): void {
    this.#times.set(name, due)
    this.#heap.push({ due, name })
    if (this.#heap.size > 2 * this.#times.size + 1000) this.#compact()
  }

  delete(name: string): void {
    this.#times.delete(name)
  }

  clear(): void {
    this.#times.clear()
    this.#heap.clear()
  }

  /** The earliest time. */
  get next(): number | undefined {
    let first = this.#heap.first
    while (first && this.#times.get(first.name) !== first.due) {
      this.#heap.pop()
      first = this.#heap.first
    }
    return first?.due
  }

  /** Removes the names whose time has come, the earliest first, at most `most` of them. */
  take(now: number, most = Number.POSITIVE_INFINITY): string[] {
    const names: string[] = []
    for (let next = this.next; next !== undefined && next <= now && names.length < most; next = this.next) {
      const { name } = this.#heap.pop()!
      this.#times.delete(name)
      names.push(name)
    }
    return names
  }

  /** All names with their times. */
  entries(): Iterable<[name: string, due: number]> {
    return this.#times
  }

  #compact(): void {
    this.#heap.clear()
    for (const [name, due] of this.#times) this.#heap.push({ due, name })
  }
}
