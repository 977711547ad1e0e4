/** Reads of appointments. */
import { batched } from '../../database/batcher.ts'
import type { Database } from '../../database/database.ts'
import { columnsOf, readRows, toRows } from '../../database/read_rows.ts'
import type { User } from '../../entities/access/user.ts'
import { Appointment, type AppointmentStatus } from '../../entities/scheduling/appointment.ts'
import { AppointmentCounter } from '../../entities/scheduling/appointment_counter.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { type CountedPage, toPage, type Window } from '../common/keyset.ts'
import { isAfter, momentPlace } from '../common/moment_place.ts'
import { hasExactly } from '../common/survivor.ts'

export type AppointmentFilter = {
  project_id?: string | undefined
  status?: AppointmentStatus | undefined
  assigned_to?: string | undefined
  chat_user?: string | undefined
  customer_id?: string | undefined
  /** The first moment at which appointments begin. */
  since?: Date | undefined
  /** The moment before which appointments begin. */
  until?: Date | undefined
}

type AppointmentPage = Window & { sort?: 'starts_at' | 'created_at'; order: 'asc' | 'desc' }

/** An appointment with the user who is assigned. */
export type AppointmentView = {
  appointment: Appointment
  assignee: Pick<User, '_id' | 'full_name' | 'email'> | null
}

/** The appointment with this id. With `project_id`, undefined for one of another project. */
export async function findAppointment(
  database: Database,
  { id, project_id }: { id: string; project_id?: string },
): Promise<AppointmentView | undefined> {
  const mine = project_id === undefined ? sql`` : sql` and a.project_id = ${project_id}`
  const query = sql`select ${columns(database)} from appointment a where a.id = ${id}${mine}`
  const [row] = await database.execute<ViewRow>(query)
  return row && toView(database, row)
}

/** Appointments by their beginning, or by their creation, and their total number. */
export async function listAppointments(
  database: Database,
  filter: AppointmentFilter,
  { limit, offset, cursor, sort = 'starts_at', order }: AppointmentPage,
): Promise<CountedPage<AppointmentView>> {
  const where = sql.join(conditionsOf(filter), ' and ')
  const moment = sort === 'starts_at' ? sql`a.starts_at` : undefined
  const by = sql`${moment ? sql`${moment} ${sql.direction(order)}, ` : sql``}a.id ${sql.direction(order)}`
  const after = cursor === undefined ? sql`` : sql`and ${isAfter(cursor, { moment, id: sql`a.id` }, order)}`
  // The page is chosen by ids alone, so that skipped rows are small.
  const chosen = sql`select a.id from appointment a where ${where} ${after} order by ${by} limit ${limit + 1} offset ${offset}`
  const [rows, [counted]] = await Promise.all([
    database.execute<ViewRow>(
      sql`select ${columns(database)} from (${chosen}) page join appointment a using (id) order by ${by}`,
    ),
    database.execute<{ total: number }>(sql`select count(*)::integer as total from appointment a where ${where}`),
  ])
  const found = rows.map((row) => toView(database, row))
  const placeOf = ({ appointment }: AppointmentView) => momentPlace(appointment.id, moment && appointment.starts_at)
  return { ...toPage(found, limit, placeOf), total: counted!.total }
}

function conditionsOf({ since, until, ...exact }: AppointmentFilter): Sql[] {
  const conditions = [sql`true`]
  for (const [column, value] of Object.entries(exact)) {
    if (value !== undefined) conditions.push(hasExactly(sql`a`, column, value))
  }
  if (since) conditions.push(sql`a.starts_at >= ${moment(since)}`)
  if (until) conditions.push(sql`a.starts_at < ${moment(until)}`)
  return conditions
}

function moment(date: Date): Sql {
  return sql`${date}::timestamptz`
}

type ViewRow = Record<string, unknown> & Pick<AppointmentView, 'assignee'>

const columns = (database: Database) => sql`${columnsOf(database, Appointment, sql`a`)},
  (select json_build_object('_id', u._id, 'full_name', u.full_name, 'email', u.email)
    from "user" u where u._id = a.assigned_to) as assignee`

function toView(database: Database, { assignee, ...row }: ViewRow): AppointmentView {
  return { appointment: toAppointments(database, [row])[0]!, assignee }
}

export function toAppointments(database: Database, rows: Record<string, unknown>[]): Appointment[] {
  const appointments = toRows(database, Appointment, rows)
  // PostgreSQL writes numbers of this type as text.
  for (const row of appointments) row.amount = row.amount === null ? null : Number(row.amount)
  return appointments
}

/** Rows of appointments of a project, for the messages of a turn. */
export async function readAppointments(
  database: Database,
  project_id: string,
  ids: Iterable<string>,
): Promise<Appointment[]> {
  return toAppointments(database, await readRows(database, Appointment, { project_id, id: [...ids] }))
}

/** The last number that an appointment of the project was given; 0 before the first. */
export async function readLastNumber(database: Database, project_id: string): Promise<number> {
  const [counter] = await readRows(database, AppointmentCounter, { project_id })
  return counter?.last_number ?? 0
}

/** The time of an assignee. It ends right before `ends_at`. */
export type Slot = { assigned_to: string; starts_at: Date; ends_at: Date }

/** A slot that an appointment of any project holds. */
export type HeldSlot = Slot & Pick<Appointment, 'id' | 'project_id' | 'number'>

/** The pending and confirmed appointments that overlap these slots. Concurrent projects share the query. */
export const readHeldSlots = batched(async (database: Database, wants: Slot[][]): Promise<HeldSlot[][]> => {
  const slots = wants.flat()
  if (slots.length === 0) return wants.map(() => [])
  const values = slots.map(
    ({ assigned_to, starts_at, ends_at }) => sql`(${assigned_to}, tstzrange(${moment(starts_at)}, ${moment(ends_at)}))`,
  )
  const rows = await database.execute<
    Omit<HeldSlot, 'starts_at' | 'ends_at'> & { starts_at: string; ends_at: string }
  >(sql`
    select distinct a.id, a.project_id, a.number, a.assigned_to, a.starts_at, a.ends_at
    from (values ${sql.join(values, ',')}) w (assigned_to, range) join appointment a
    on a.assigned_to = w.assigned_to and tstzrange(a.starts_at, a.ends_at) && w.range
      and a.status in ('pending', 'confirmed')`)
  const held = rows.map((row) => ({ ...row, starts_at: new Date(row.starts_at), ends_at: new Date(row.ends_at) }))
  return wants.map((own) => held.filter((one) => own.some((slot) => overlap(slot, one))))
})

/** True when both are of one assignee and share a moment. */
export function overlap(one: Slot, other: Slot): boolean {
  return one.assigned_to === other.assigned_to && one.starts_at < other.ends_at && other.starts_at < one.ends_at
}
