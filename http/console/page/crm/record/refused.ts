/** Refusals of changes, with the way to the record that stands against them. */
import { errorText } from '../../data/errors.ts'
import { addressOf } from '../../data/places.ts'
import type { Fault } from '../../records/fault.ts'
import { toast, toastFault } from '../../ui/overlays/toast.ts'
import { inboxPlace } from '../inbox_places.ts'

/** Shows why a change of the record was refused. `what` says what was to change. */
export function toastRefused(project_id: string, kind: 'ticket' | 'customer', what: string, fault: Fault) {
  const not_done = `Parley did not change ${what}`
  const other = otherOf(project_id, kind, fault)
  if (other === undefined) return toastFault(not_done, fault)
  const { text, address } = other
  const act = () => {
    location.hash = address
  }
  toast(`${not_done}. ${text}`, { is_bad: true, act, act_text: 'Show the other' })
}

/** The record that has what this one was to get. Undefined for refusals without one. */
function otherOf(project_id: string, kind: 'ticket' | 'customer', fault: Fault & { details?: unknown }) {
  const { code, details } = fault
  const { id, ticket_id } = (details ?? {}) as { id?: string; ticket_id?: string }
  if (code === 'TICKET_ALREADY_OPEN' && ticket_id) {
    return { text: errorText(fault), address: inboxPlace(project_id, { view: 'all', ticket_id }) }
  }
  if (code !== 'EXTERNAL_ID_TAKEN' || !id) return undefined
  const address =
    kind === 'ticket'
      ? inboxPlace(project_id, { view: 'all', ticket_id: id })
      : addressOf(project_id, 'contacts', ['customers', id])
  return { text: `Another ${kind} has this external id.`, address }
}
