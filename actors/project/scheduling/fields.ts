/** The fields of an appointment that operators write, and the checks of what they refer to. */
import type { Appointment } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import { customerReads } from '../contacts/customers.ts'
import { contactReads } from '../contacts/reads.ts'
import { definitionsOf } from '../definitions/reads.ts'
import type { Reads } from '../turn/reads.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { wantCustomerOf, wantPersonOf, wantSlot } from './reads.ts'
import { type ReminderInput, wantReminder } from './reminder.ts'
import type { TimesInput } from './times.ts'

export type AppointmentFields = TimesInput &
  Partial<
    Pick<
      Appointment,
      | 'status'
      | 'modality'
      | 'payment_status'
      | 'amount'
      | 'currency'
      | 'chat_user'
      | 'customer_id'
      | 'assigned_to'
      | 'meeting_url'
      | 'location'
    >
  > & { reminder?: ReminderInput | null | undefined }

/** Call this for each message that writes fields. `id`: the appointment that exists. */
export function wantFields(reads: Reads, fields: AppointmentFields, id?: string): void {
  const { chat_user, customer_id, assigned_to, starts_at, ends_at, timezone, reminder } = fields
  wantPersonOf(reads, { chat_user, customer_id })
  if (id !== undefined && chat_user === null && customer_id === undefined) wantCustomerOf(reads, id)
  wantSlot(reads, { ...(id !== undefined && { id }), assigned_to, starts_at, ends_at, timezone })
  if (reminder) wantReminder(reads, reminder)
}

/** @throws {Refusal} NO_CONTACT, CUSTOMER_NOT_FOUND, ASSIGNEE_NOT_FOUND */
export function checkReferences(
  turn: ProjectTurn,
  { chat_user, customer_id, assigned_to }: AppointmentFields,
  before?: Appointment,
): void {
  if (chat_user && !turn.records.of(contactReads).by_id.has(chat_user)) throw refuse('NO_CONTACT', { chat_user })
  if (customer_id && !turn.records.of(customerReads).has(customer_id)) {
    throw refuse('CUSTOMER_NOT_FOUND', { customer_id })
  }
  if (!assigned_to) return
  const user = definitionsOf(turn).users.get(assigned_to)
  // The present assignee may keep the appointment even when deactivated.
  if (user && (user.is_active || assigned_to === before?.assigned_to)) return
  throw refuse('ASSIGNEE_NOT_FOUND', { assigned_to })
}
