/**
 * The part of a call that one turn takes. A turn holds up everything else on its node while it decides and writes, so a
 * call of tens of thousands of entries is taken in several. Each entry can be stored again without effect, as calls are
 * repeated anyway.
 *
 * Places are counted in the call as it was sent, so that they stay the same while channels come and go.
 */
import type { Inbound } from '../../providers/mod.ts'

/** Rows of a turn, about. */
export const MAX_OF_TURN = 3_000
/** A part of a history is one row. Everything else has several, such as those of its contact and its ticket. */
const OTHERS = 3

/** The items from this row on, with the number of the `next` one where a turn has no room for all. */
export function sliceOf(items: readonly Inbound[], from: number): { taken: Inbound[]; next?: number } {
  const until = from + MAX_OF_TURN
  const taken: Inbound[] = []
  let at = 0
  for (const item of items) {
    const parts = item.kind === 'history' ? item.parts.length : 0
    if (parts > 0) {
      const begin = Math.max(from - at, 0)
      const end = Math.min(until - at, parts)
      if (begin < end) taken.push(partsOf(item, begin, end))
    } else if (at >= from && at < until) taken.push(item)
    at += parts || OTHERS
  }
  return at > until ? { taken, next: until } : { taken }
}

/** A history has come as far as its call says once the last part is there. */
function partsOf(item: Inbound, begin: number, end: number): Inbound {
  if (item.kind !== 'history') return item
  const said = end === item.parts.length ? item : { ...item, phase: null, progress: null, error: null }
  return { ...said, parts: item.parts.slice(begin, end) }
}
