/** Broadcasts in words. */
import { html } from 'htm/preact'

/** @typedef {import('../../page_types/broadcast.ts').BroadcastStatus} BroadcastStatus */
/** @typedef {import('../../page_types/broadcast.ts').RecipientStatus} RecipientStatus */

/** @type {Record<BroadcastStatus, string>} */
const STATUS_WORDS = {
  queued: 'Queued',
  sending: 'Sending',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
}

/** @type {Record<RecipientStatus, string>} */
export const COUNT_WORDS = { read: 'Read', delivered: 'Delivered', sent: 'Sent', failed: 'Failed', pending: 'Pending' }

/** @param {BroadcastStatus} status */
export function statusWord(status) {
  return STATUS_WORDS[status] ?? status
}

/**
 * @param {{ status: BroadcastStatus }} props
 */
export function Badge({ status }) {
  return html`<span class="badge ${status}">${statusWord(status)}</span>`
}

/**
 * The names of the project's channels, by their ids; none until they are known.
 *
 * @param {import('../../page_types/definitions.ts').Definitions | undefined} definitions
 * @returns {ReadonlyMap<string, string>}
 */
export function channelNames(definitions) {
  return new Map((definitions?.channels ?? []).map(({ _id, name }) => [_id, name]))
}
