/** Tells subscribers and the timeline about an appointment. */
import type { Appointment, Contact } from '../../../storage/mod.ts'
import { type AppointmentRecord, toAppointmentRecord } from '../../records/mod.ts'
import { contactNamed } from '../contacts/reads.ts'
import { definitionsOf } from '../definitions/reads.ts'
import { bestContact } from '../tickets/best_contact.ts'
import { touchTicket } from '../tickets/change_ticket.ts'
import { inboxMoved } from '../tickets/inbox.ts'
import { ensureTicket } from '../tickets/open_ticket.ts'
import { recordEvent } from '../tickets/timeline.ts'
import { emit } from '../turn/events.ts'
import type { ProjectTurn } from '../turn/turn.ts'

export type AppointmentNews = 'created' | 'updated' | 'confirmed' | 'cancelled' | 'completed' | 'no_show'

/** The appointment as others see it. */
export function recordOf(turn: ProjectTurn, appointment: Appointment): AppointmentRecord {
  const { assigned_to } = appointment
  const assignee = assigned_to ? definitionsOf(turn).users.get(assigned_to) : undefined
  return toAppointmentRecord({ appointment, assignee: assignee ?? null })
}

/** The contact of the appointment, else the best one of its customer in the project. */
export function contactOf(
  turn: ProjectTurn,
  { chat_user, customer_id }: Pick<Appointment, 'chat_user' | 'customer_id'>,
): Contact | undefined {
  if (chat_user) return contactNamed(turn.records, chat_user)
  return customer_id ? bestContact(turn, { customer_id }) : undefined
}

/** Emits an event for subscribers alone. */
export function emitAppointment(turn: ProjectTurn, row: Appointment, news: AppointmentNews): void {
  emit(turn, `scheduling.appointment.${news}`, recordOf(turn, row), contactOf(turn, row)?._id ?? null)
}

/**
 * Emits an event and writes it to the timeline of the contact's open ticket. As for events of clients, a ticket is
 * opened when there is none. `changed`: fields of the record that a change of it has changed.
 */
export function report(turn: ProjectTurn, row: Appointment, news: AppointmentNews, changed?: string[]): void {
  emitAppointment(turn, row, news)
  const { id: appointment_id, number, status, modality, starts_at, ends_at, timezone } = row
  const facts = { appointment_id, number, status, modality, starts_at, ends_at, timezone }
  record(turn, row, `appointment.${news}`, { ...facts, ...(changed && { changed_fields: changed }) })
}

/** Writes to the timeline that the appointment was paid. */
export function reportPayment(turn: ProjectTurn, row: Appointment): void {
  const { id: appointment_id, number, amount, currency } = row
  record(turn, row, 'payment.confirmed', {
    appointment_id,
    number,
    amount: amount ?? null,
    currency: currency ?? null,
  })
}

function record(turn: ProjectTurn, row: Appointment, event_type: string, data: Record<string, unknown>): void {
  const contact = contactOf(turn, row)
  if (!contact) return
  const ticket = ensureTicket(turn, contact)
  recordEvent(turn, ticket, event_type, data)
  touchTicket(turn, ticket)
  inboxMoved(turn, ticket)
}
