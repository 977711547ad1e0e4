/** The title of the browser's tab. No DOM. */
import { percent } from '../ui/figures.js'
import { doneOf, hasEnded, nameOf } from './records.js'

/**
 * The name of a broadcast, with its progress while it is sent; without one, that of the list.
 *
 * @param {import('../../page_types/broadcast.ts').Broadcast | undefined} broadcast
 */
export function titleOf(broadcast) {
  if (!broadcast) return 'Broadcasts'
  const progress = hasEnded(broadcast) ? '' : `${percent(doneOf(broadcast), broadcast.total)} · `
  return `${progress}${nameOf(broadcast)}`
}
