/**
 * The part of a call that one turn takes. A turn holds up everything else on its node while it decides and writes, so a
 * call of tens of thousands of entries is taken in several. Each entry can be stored again without effect, as calls are
 * repeated anyway.
 */
import type { CallItem } from '../turn/call_item.ts'
import type { InboundCall } from './raw_call.ts'

/** Rows of a turn, about. */
export const MAX_OF_TURN = 3_000
/** A part of a history is one row. Everything else has several, such as those of its contact and its ticket. */
const OTHERS = 3

/** The items from this row on, with the number of the `next` one where a turn has no room for all. */
export function sliceOf({ answer, said }: InboundCall, from: number): InboundCall {
  const until = from + MAX_OF_TURN
  const taken: CallItem[] = []
  let at = 0
  for (const one of said) {
    const parts = one.item.kind === 'history' ? one.item.parts.length : 0
    if (parts > 0) {
      const begin = Math.max(from - at, 0)
      const end = Math.min(until - at, parts)
      if (begin < end) taken.push(partsOf(one, begin, end))
    } else if (at >= from && at < until) taken.push(one)
    at += parts || OTHERS
  }
  return { answer: at > until ? { ...answer, next: until } : answer, said: taken }
}

/** A history has come as far as its call says once the last part is there. */
function partsOf({ channel, item }: CallItem, begin: number, end: number): CallItem {
  if (item.kind !== 'history') return { channel, item }
  const said = end === item.parts.length ? item : { ...item, phase: null, progress: null, error: null }
  return { channel, item: { ...said, parts: item.parts.slice(begin, end) } }
}
