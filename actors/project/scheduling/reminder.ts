/**
 * The reminder of an appointment: a template that is sent some hours before it begins.
 *
 * 1. The row says whether a reminder is to come. Each such row has a durable timer of its own, which is set, moved and
 *    cancelled in the transaction of the row's change.
 * 2. A reminder is sent in the turn of its timer, which also writes that it was sent. The timer takes effect once, so
 *    the message is stored once, whatever stops in between.
 * 3. There is one reminder for each beginning: an appointment that is moved to a later time is reminded of again.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Appointment, Contact, Reminder } from '../../../storage/mod.ts'
import type { Providers, TemplatePayload } from '../../providers/mod.ts'
import { refuse } from '../../refuse.ts'
import { addressOf } from '../contacts/identity.ts'
import { prepareSend, type SendMessage, wantContent } from '../messages/send_message.ts'
import type { Reads } from '../turn/reads.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { reminderVariables } from './reminder_text.ts'
import { contactOf } from './report.ts'
import { isOpen } from './slots.ts'

export type ReminderInput = Pick<
  Reminder,
  'hours_before' | 'template_name' | 'template_language' | 'variables' | 'channel_id'
>

type TemplateOfReminder = Pick<ReminderInput, 'template_name' | 'template_language' | 'variables'>

/** The durable timer. `template`: for nodes of the release before. */
export type ReminderDue = { appointment_id: string; template: { name: string; language: string } }

const HOUR_MS = 3_600_000

/** Adds the template of a reminder to the reads, and the files among its variables. */
export function wantReminder(
  reads: Reads,
  { template_name: name, template_language: language, variables }: TemplateOfReminder,
): void {
  const message: TemplatePayload = { type: 'template', name, language, variables }
  // Templates are sent on WhatsApp only.
  wantContent(reads, { channel: 'whatsapp', message })
}

/**
 * Checks that the reminder could be sent now.
 * @throws {Refusal} NO_CONTACT, and codes of a send
 */
export function mustBeSendable(
  turn: ProjectTurn,
  appointment: Appointment,
  reminder: ReminderInput,
  providers: Providers,
): void {
  const contact = contactOf(turn, appointment)
  if (!contact) throw refuse('NO_CONTACT', undefined, 'A reminder needs a contact; give chat_user.')
  prepareSend(turn, sendingOf(appointment, reminder, contact), providers, 'reminder')
}

/** The send of a reminder, to where the contact is reached now. */
export function sendingOf(
  appointment: Appointment,
  { template_name: name, template_language: language, variables, channel_id }: ReminderInput,
  contact: Contact,
): SendMessage {
  const values = reminderVariables(variables, { ...appointment, name: contact.name }, language)
  return {
    type: 'send_message',
    ...addressOf(contact),
    channel_id: contact.channel_id ?? channel_id ?? undefined,
    message: { type: 'template', name, language, variables: values },
  }
}

/**
 * The reminder after a change of its appointment.
 *
 * @param input the new reminder, null to remove it, undefined where the change does not say
 */
export function reminderAfter(
  before: Appointment | undefined,
  { status, starts_at, reminder: present }: Appointment,
  input: ReminderInput | null | undefined,
  now: Date,
): Reminder | null {
  if (input === null) return null
  const moves = before?.starts_at.getTime() !== starts_at.getTime()
  const set = input && (moves || !present || !isSame(input, present)) ? scheduled(input, starts_at, now) : undefined
  if (!isOpen(status)) return cancelled(set ?? present)
  if (set) return set
  if (!present) return null
  if (!moves) return present
  const moved = scheduled(present, starts_at, now)
  // A reminder that was sent before stays known.
  return moved.status === 'skipped' && present.status !== 'scheduled' ? present : moved
}

/** An appointment that has ended is reminded of no more. */
function cancelled(reminder: Reminder | null | undefined): Reminder | null {
  return reminder?.status === 'scheduled' ? { ...reminder, status: 'cancelled' } : (reminder ?? null)
}

function settingsOf(reminder: ReminderInput): ReminderInput {
  const { hours_before, template_name, template_language, variables, channel_id } = reminder
  return { hours_before, template_name, template_language, variables, channel_id }
}

function isSame(one: ReminderInput, other: ReminderInput): boolean {
  return isDeepStrictEqual(settingsOf(one), settingsOf(other))
}

function scheduled(input: ReminderInput, starts_at: Date, now: Date): Reminder {
  const due_at = new Date(Math.round(starts_at.getTime() - input.hours_before * HOUR_MS))
  return {
    ...settingsOf(input),
    status: due_at > now ? 'scheduled' : 'skipped',
    due_at: due_at.toISOString(),
    message_id: null,
    error: null,
  }
}

/** Sets, moves or cancels the timer. */
export function keepTimer(turn: ProjectTurn, before: Reminder | null | undefined, { id, reminder }: Appointment): void {
  if (reminder?.status === 'scheduled') setTimer(turn, id, reminder, new Date(reminder.due_at))
  else if (before?.status === 'scheduled') turn.cancel(timerOf(id))
}

export function setTimer(turn: ProjectTurn, id: string, reminder: Reminder, at: Date): void {
  const template = { name: reminder.template_name, language: reminder.template_language }
  const message: ReminderDue = { appointment_id: id, template }
  turn.timer(timerOf(id), at, { type: 'appointment_reminder', ...message, cause: turn.cause })
}

function timerOf(id: string): string {
  return `appointment_reminder/${id}`
}
