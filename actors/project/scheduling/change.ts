/** The only way to change an appointment that exists. It finds the differences, and a change without any writes nothing. */
import { isDeepStrictEqual } from 'node:util'
import { Appointment } from '../../../storage/mod.ts'
import { type AppointmentEvent, nextAppointmentStatus } from '../../machines/mod.ts'
import { refuse } from '../../refuse.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { keepTimer } from './reminder.ts'
import { type AppointmentNews, report, reportPayment } from './report.ts'
import { keepSlot, mustBeFree } from './slots.ts'

type Columns = Partial<Omit<Appointment, 'id' | 'company_id' | 'project_id' | 'number' | 'created_at' | 'updated_at'>>

/** Event type of each status. */
const news: Record<Appointment['status'], AppointmentNews> = {
  pending: 'updated',
  confirmed: 'confirmed',
  cancelled: 'cancelled',
  completed: 'completed',
  no_show: 'no_show',
}

/** The columns whose change may take a slot. */
const TAKING = ['status', 'starts_at', 'ends_at', 'assigned_to'] as const

/**
 * Writes the differences and reports them. Checks first, so that a refused change writes nothing.
 * @throws {Refusal} APPOINTMENT_SLOT_TAKEN
 */
export function changeAppointment(turn: ProjectTurn, row: Appointment, change: Columns): void {
  const before = { ...row }
  const written = differences(row, change)
  const changed = Object.keys(written)
  if (changed.length === 0) return
  if (TAKING.some((column) => column in written)) mustBeFree(turn, { ...row, ...written })
  Object.assign(row, written, { updated_at: turn.now })
  turn.update(Appointment, { id: row.id }, { ...written, updated_at: turn.now })
  keepSlot(turn, row)
  keepTimer(turn, before.reminder, row)
  const fields = changed.filter((name) => name !== 'status' && (name !== 'reminder' || !('status' in written)))
  if (fields.length > 0) report(turn, row, 'updated', fields)
  if (written.status) report(turn, row, news[written.status])
  if (written.payment_status === 'paid') reportPayment(turn, row)
}

function differences(row: Appointment, change: Columns): Columns {
  const written: Record<string, unknown> = {}
  for (const [column, value] of Object.entries(change)) {
    const present = row[column as keyof Columns] ?? null
    if (value !== undefined && !isDeepStrictEqual(present, value)) written[column] = value
  }
  return written
}

/**
 * The status after an event.
 * @throws {Refusal} APPOINTMENT_NOT_PENDING for `confirm`, else APPOINTMENT_NOT_OPEN
 */
export function statusAfter({ status }: Pick<Appointment, 'status'>, event: AppointmentEvent): Appointment['status'] {
  const next = nextAppointmentStatus(status, event)
  if (next !== status) return next
  throw refuse(event === 'confirm' ? 'APPOINTMENT_NOT_PENDING' : 'APPOINTMENT_NOT_OPEN', { status })
}

/** The event that leads to a status; undefined for the one that appointments begin with. */
export const eventTo: Record<Appointment['status'], AppointmentEvent | undefined> = {
  pending: undefined,
  confirmed: 'confirm',
  cancelled: 'cancel',
  completed: 'complete',
  no_show: 'no_show',
}
