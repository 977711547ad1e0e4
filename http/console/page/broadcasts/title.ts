/** The title of the browser's tab. No DOM. */
import type { Broadcast } from '../records/broadcast.ts'
import { percent } from '../ui/format/figures.ts'
import { doneOf, hasEnded, nameOf } from './records.ts'

/** The name of a broadcast, with its progress while it is sent; without one, that of the list. */
export function titleOf(broadcast: Broadcast | undefined) {
  if (!broadcast) return 'Broadcasts'
  const progress = hasEnded(broadcast) ? '' : `${percent(doneOf(broadcast), broadcast.total)} · `
  return `${progress}${nameOf(broadcast)}`
}
