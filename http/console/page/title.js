/** The title of the browser's tab. No DOM. */
import { percent } from './format.js'
import { doneOf, hasEnded, nameOf } from './records.js'

/**
 * The title of the browser tab.
 *
 * @param {Pick<import('./store.js').Store, 'session' | 'place' | 'detail'>} store
 */
export function titleOf({ session, place, detail }) {
  if (!session) return session === null ? 'Sign in – Parley' : 'Parley'
  if (place.page === 'broadcasts') return 'Broadcasts – Parley'
  const broadcast = detail?.broadcast
  if (!broadcast) return 'Parley'
  const progress = hasEnded(broadcast) ? '' : `${percent(doneOf(broadcast), broadcast.total)} · `
  return `${progress}${nameOf(broadcast)} – Parley`
}
