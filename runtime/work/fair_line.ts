/**
 * Waiting items of one owner, oldest first. The iterator stays open: a new one would first pass the traces of all items
 * that were taken before.
 */
type Items<Item> = { all: Set<Item>; oldest: Iterator<Item, undefined> }

/**
 * A waiting line in which owners take turns: whatever one owner puts in, another one's first item is next after one
 * item of each owner. Adding, removing and taking cost the same however many items an owner has.
 */
export class FairLine<Item> {
  /** Items by owner. An owner whose item was taken moves to the end. */
  readonly #items = new Map<string, Items<Item>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  sizeOf(owner: string): number {
    return this.#items.get(owner)?.all.size ?? 0
  }

  add(owner: string, item: Item): void {
    const items = this.#items.get(owner)
    if (items) items.all.add(item)
    else {
      const all = new Set([item])
      this.#items.set(owner, { all, oldest: all.values() })
    }
    this.#size++
  }

  /** Returns false for an item that does not wait. */
  remove(owner: string, item: Item): boolean {
    const all = this.#items.get(owner)?.all
    if (!all?.delete(item)) return false
    this.#size--
    if (all.size === 0) this.#items.delete(owner)
    return true
  }

  /** Takes the next item out; owners that may not begin now keep their places. */
  next(mayBegin: (owner: string) => boolean = () => true): Item | undefined {
    for (const [owner, items] of this.#items) {
      if (!mayBegin(owner)) continue
      const item = items.oldest.next().value!
      items.all.delete(item)
      this.#items.delete(owner)
      if (items.all.size > 0) this.#items.set(owner, items)
      this.#size--
      return item
    }
    return undefined
  }

  /** The owner of the most items. */
  largest(): string | undefined {
    let largest: string | undefined
    for (const [owner, { all }] of this.#items) {
      if (largest === undefined || all.size > this.sizeOf(largest)) largest = owner
    }
    return largest
  }

  /** The item that has waited longest of the owner's. */
  oldest(owner: string): Item | undefined {
    return this.#items.get(owner)?.all.values().next().value
  }

  /** The item that the owner added last. */
  newest(owner: string): Item | undefined {
    return [...(this.#items.get(owner)?.all ?? [])].at(-1)
  }
}
