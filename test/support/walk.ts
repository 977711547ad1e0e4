/**
 * Tells whether the states that somebody saw are a walk along `path`: in its order, each left for good, up to the last
 * one. A slow look misses states, and a fast one sees a state many times.
 */
export function isWalk<State>(seen: readonly State[], path: readonly State[]): boolean {
  const places = seen.map((state) => path.indexOf(state))
  return places.every((place, n) => place >= (places[n - 1] ?? 0)) && places.at(-1) === path.length - 1
}
