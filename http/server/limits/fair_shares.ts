/**
 * Shares of a bounded amount: one bound for all holders, and one for each name of a kind. A holder without a name of a
 * kind has no bound of that kind.
 */
export type ShareBounds<Kind extends string> = { all: number; kinds: Record<Kind, number> }
export type Holder<Kind extends string> = Partial<Record<Kind, string | undefined>>

export class Shares<Kind extends string = string> {
  readonly #bounds: ShareBounds<Kind>
  readonly #kinds: Kind[]
  /** Amounts by kind and name; zero amounts are not kept. */
  readonly #held: Record<Kind, Map<string, number>>
  #all = 0

  constructor(bounds: ShareBounds<Kind>) {
    this.#bounds = bounds
    this.#kinds = Object.keys(bounds.kinds) as Kind[]
    this.#held = Object.fromEntries(this.#kinds.map((kind) => [kind, new Map()])) as Record<Kind, Map<string, number>>
  }

  /** Returns false when the amount exceeds a bound; nothing is taken then. */
  take(holder: Holder<Kind>, amount: number): boolean {
    if (this.#all + amount > this.#bounds.all) return false
    for (const kind of this.#kinds) {
      if (this.heldBy(kind, holder) + amount > this.#bounds.kinds[kind]) return false
    }
    this.#add(holder, amount)
    return true
  }

  /** True when the amount would exceed the bound of all holders together. */
  isCrowded(amount: number): boolean {
    return this.#all + amount > this.#bounds.all
  }

  /** Gives back what was taken. */
  give(holder: Holder<Kind>, amount: number): void {
    if (amount > 0) this.#add(holder, -amount)
  }

  heldBy(kind: Kind, holder: Holder<Kind>): number {
    const name = holder[kind]
    return name === undefined ? 0 : (this.#held[kind].get(name) ?? 0)
  }

  #add(holder: Holder<Kind>, amount: number): void {
    if (amount === 0) return
    this.#all += amount
    for (const kind of this.#kinds) {
      const name = holder[kind]
      if (name === undefined) continue
      const held = (this.#held[kind].get(name) ?? 0) + amount
      if (held > 0) this.#held[kind].set(name, held)
      else this.#held[kind].delete(name)
    }
  }
}
