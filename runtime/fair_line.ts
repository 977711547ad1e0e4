/**
 * A waiting line in which owners take turns: whatever one owner puts in, another one's first item is next after one
 * item of each owner. Adding, removing and taking cost the same however many wait.
 */
export class FairLine<Item> {
  /** Waiting items by owner, oldest first. An owner whose item was taken moves to the end. */
  readonly #items = new Map<string, Set<Item>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  sizeOf(owner: string): number {
    return this.#items.get(owner)?.size ?? 0
  }

  add(owner: string, item: Item): void {
    const items = this.#items.get(owner)
    if (items) items.add(item)
    else this.#items.set(owner, new Set([item]))
    this.#size++
  }

  /** Returns false for an item that does not wait. */
  remove(owner: string, item: Item): boolean {
    const items = this.#items.get(owner)
    if (!items?.delete(item)) return false
    this.#size--
    if (items.size === 0) this.#items.delete(owner)
    return true
  }

  /** Takes the next item out; owners that may not begin now keep their places. */
  next(mayBegin: (owner: string) => boolean = () => true): Item | undefined {
    for (const [owner, items] of this.#items) {
      if (!mayBegin(owner)) continue
      const [item] = items
      this.#items.delete(owner)
      if (items.size > 1) this.#items.set(owner, items)
      items.delete(item!)
      this.#size--
      return item
    }
    return undefined
  }

  /** The owner of the most items. */
  largest(): string | undefined {
    let largest: string | undefined
    for (const [owner, { size }] of this.#items) {
      if (largest === undefined || size > this.sizeOf(largest)) largest = owner
    }
    return largest
  }

  /** The item that the owner added last. */
  newest(owner: string): Item | undefined {
    return [...(this.#items.get(owner) ?? [])].at(-1)
  }
}
