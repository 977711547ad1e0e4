/**
 * Distances between releases. Nodes work beside nodes of the release before and of the next one, so an upgrade goes by
 * one release at a time (docs/operations.md).
 */

/** `next`: from the first to the second is an upgrade by one release. `back`: the way back by one. */
export type ReleaseStep = 'same' | 'next' | 'back' | 'far'

const RELEASE = /^(\d+)\.(\d+)\.(\d+)/

/** A patch counts as the same release; a new major release follows the last minor one. `far` too for what is no release. */
export function stepBetween(from: string, to: string): ReleaseStep {
  const [, from_major, from_minor] = RELEASE.exec(from)?.map(Number) ?? []
  const [, to_major, to_minor] = RELEASE.exec(to)?.map(Number) ?? []
  if (from_major === undefined || from_minor === undefined || to_major === undefined || to_minor === undefined) {
    return 'far'
  }
  if (from_major === to_major) {
    const minors = to_minor - from_minor
    if (minors === 0) return 'same'
    return minors === 1 ? 'next' : minors === -1 ? 'back' : 'far'
  }
  // The last minor release of a major one is not known here.
  if (to_major - from_major === 1 && to_minor === 0) return 'next'
  return from_major - to_major === 1 && from_minor === 0 ? 'back' : 'far'
}
