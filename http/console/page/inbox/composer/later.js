/** Sending later: what is asked, before the dialog is loaded. */
import { signal } from '@preact/signals'

/**
 * `message`: one that was made in a form, instead of the reply. `scheduled`: one that is scheduled already, to be changed.
 *
 * @typedef {{
 *   compose: import('./compose.js').Compose
 *   message?: import('../../../page_types/record.ts').AnyRecord
 *   scheduled?: import('../../../page_types/record.ts').AnyRecord
 * }} Later
 */

export const later = signal(/** @type {Later | null} */ (null))

/** @param {Later} what */
export function openLater(what) {
  later.value = what
}
