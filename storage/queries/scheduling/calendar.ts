/** Appointments of a project between two moments, with the names of the people, for a calendar. */
import type { Database } from '../../database/database.ts'
import { columnsOf } from '../../database/read_rows.ts'
import { Appointment, type AppointmentStatus } from '../../entities/scheduling/appointment.ts'
import { sql } from '../../sql/sql.ts'
import { type AppointmentView, toAppointments } from './appointments.ts'

export type CalendarFilter = {
  project_id: string
  from: Date
  /** Without it, all that end after `from`. */
  before?: Date | undefined
  status?: AppointmentStatus | undefined
  assigned_to?: string | undefined
}

export type CalendarPerson = { _id: string; name: string | null; phone: string | null }
export type CalendarView = AppointmentView & {
  contact: CalendarPerson | null
  customer: { _id: string; full_name: string | null } | null
}

/** An appointment that takes longer and began earlier than this is not found by its end. */
const MAX_LENGTH = '31 days'

type Row = Record<string, unknown> & Omit<CalendarView, 'appointment'>

/** The first `limit` of them by their beginning, and whether there are more. */
export async function listCalendar(
  database: Database,
  { project_id, from, before, status, assigned_to }: CalendarFilter,
  limit: number,
): Promise<{ data: CalendarView[]; has_more: boolean }> {
  const start = sql`${from}::timestamptz`
  const conditions = [
    sql`a.project_id = ${project_id}`,
    sql`a.starts_at >= ${start} - interval ${MAX_LENGTH}`,
    sql`a.ends_at > ${start}`,
    ...(before ? [sql`a.starts_at < ${before}::timestamptz`] : []),
    ...(status ? [sql`a.status = ${status}`] : []),
    ...(assigned_to ? [sql`a.assigned_to = ${assigned_to}`] : []),
  ]
  const rows = await database.execute<Row>(sql`
    select ${columnsOf(database, Appointment, sql`a`)},
      (select json_build_object('_id', u._id, 'full_name', u.full_name, 'email', u.email)
        from "user" u where u._id = a.assigned_to) as assignee,
      (select json_build_object('_id', c._id, 'name', c.name, 'phone', c.phone)
        from contact c where c._id = a.chat_user) as contact,
      (select json_build_object('_id', k._id, 'full_name', k.full_name)
        from customer k where k._id = a.customer_id) as customer
    from (
      select a.id from appointment a where ${sql.join(conditions, ' and ')} order by a.starts_at, a.id limit ${limit + 1}
    ) page join appointment a using (id) order by a.starts_at, a.id`)
  const data = rows.slice(0, limit).map(({ assignee, contact, customer, ...row }) => ({
    appointment: toAppointments(database, [row])[0]!,
    assignee,
    contact,
    customer,
  }))
  return { data, has_more: rows.length > limit }
}
