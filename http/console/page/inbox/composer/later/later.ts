/** Sending later: what is asked, before the dialog is loaded. */

import { signal } from '@preact/signals'
import type { AnyRecord } from '../../../records/record.ts'
import type { Compose } from '../compose.ts'

/**
 * `message`: one that was made in a form, instead of the reply. `scheduled`: one that is scheduled already, to be changed.
 */
export type Later = {
  compose: Compose
  message?: AnyRecord
  scheduled?: AnyRecord
}

export const later = signal<Later | null>(null)

export function openLater(what: Later) {
  later.value = what
}
