/** The words for the state of a template. No DOM. */

import type { Template } from '../../records/template.ts'
import { sentence } from '../compose/words.ts'

const STYLES: Partial<Record<string, string>> = {
  APPROVED: 'completed',
  PENDING: 'queued',
  IN_APPEAL: 'queued',
  REJECTED: 'failed',
  DISABLED: 'failed',
}

/** The style of its badge, and the word in it. */
export function stateOf({ status }: Pick<Template, 'status'>) {
  return { style: STYLES[status] ?? 'cancelled', word: status === 'PENDING' ? 'In review' : sentence(status) }
}

/** Facts that an agent should know before it is sent, a sentence each. */
export function notesOf({ rejected_reason, quality, category, next_category, previous_category }: Template): string[] {
  return [
    ...(rejected_reason ? [`WhatsApp’s reason: ${sentence(rejected_reason)}.`] : []),
    ...(quality === 'RED' ? ['Rated low: people block or report it.'] : []),
    ...(quality === 'YELLOW' ? ['Rated medium.'] : []),
    ...(next_category && next_category !== category ? [`Will become ${sentence(next_category)}.`] : []),
    ...(previous_category && previous_category !== category ? [`Was ${sentence(previous_category)}.`] : []),
  ]
}
