/** Returns numbers from 0 to 1, the same for the same seed (mulberry32). */
export function chance(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export type Chance = () => number

/** Returns a whole number from `low` to `high`, both included. */
export function between(random: Chance, low: number, high: number): number {
  return low + Math.floor(random() * (high - low + 1))
}

export function shuffled<Item>(random: Chance, items: readonly Item[]): Item[] {
  const all = [...items]
  for (let last = all.length - 1; last > 0; last--) {
    const other = between(random, 0, last)
    ;[all[last], all[other]] = [all[other]!, all[last]!]
  }
  return all
}
