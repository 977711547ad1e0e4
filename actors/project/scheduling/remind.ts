/** The timer of a reminder is due: sends its template, in the same transaction that marks the reminder as sent. */
import { Refusal, Unavailable } from '../../../runtime/mod.ts'
import { Appointment, type Reminder } from '../../../storage/mod.ts'
import { errorCatalogue, isErrorCode } from '../../error_catalogue.ts'
import { refuse } from '../../refuse.ts'
import { sendMessage } from '../messages/send_message.ts'
import type { ProjectContext, Receiver } from '../turn/feature.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { appointmentReads, wantAppointment } from './reads.ts'
import { type ReminderDue, sendingOf, setTimer, wantReminder } from './reminder.ts'
import { contactOf, emitAppointment } from './report.ts'
import { isOpen } from './slots.ts'

/** Pause while too many messages wait for the channel. */
const AGAIN_MS = 30_000

export const remind: Receiver<ReminderDue> = {
  reads(reads, { appointment_id }) {
    wantAppointment(reads, appointment_id)
    reads.after(appointmentReads, ({ by_id }) => {
      const reminder = by_id.get(appointment_id)?.reminder
      if (reminder) wantReminder(reads, reminder)
    })
  },
  receive(turn, { appointment_id }, context) {
    const row = turn.records.of(appointmentReads).by_id.get(appointment_id)
    const reminder = row?.reminder
    if (!row || reminder?.status !== 'scheduled' || !isOpen(row.status)) return
    const due_at = new Date(reminder.due_at)
    // The clock was set back after the timer fired, which took the timer.
    if (due_at > turn.now) return setTimer(turn, row.id, reminder, due_at)
    const result = row.starts_at > turn.now ? send(turn, row, reminder, context) : ({ status: 'skipped' } as const)
    if (!result) return
    row.reminder = { ...reminder, ...result }
    row.updated_at = turn.now
    turn.update(Appointment, { id: row.id }, { reminder: row.reminder, updated_at: turn.now })
    emitAppointment(turn, row, 'updated')
  },
}

/** Outcome of the reminder; undefined when it is tried again later. */
function send(
  turn: ProjectTurn,
  row: Appointment,
  reminder: Reminder,
  context: ProjectContext,
): (Pick<Reminder, 'status'> & Partial<Reminder>) | undefined {
  try {
    const contact = contactOf(turn, row)
    if (!contact) throw refuse('NO_CONTACT')
    const result = sendMessage.run(turn, sendingOf(row, reminder, contact), { ...context, token_id: '', user_id: '' })
    const { id } = ('body' in result ? result.body : {}) as { id: string }
    return { status: 'sent', message_id: id }
  } catch (error) {
    if (error instanceof Unavailable) {
      setTimer(turn, row.id, reminder, new Date(turn.now.getTime() + AGAIN_MS))
      return undefined
    }
    if (!(error instanceof Refusal)) throw error
    const { code, text } = error
    const message = text ?? (isErrorCode(code) ? errorCatalogue[code].message : code)
    return { status: 'failed', error: { code, message } }
  }
}
