import type { Database } from '../../database/database.ts'
import { columnsOf, readRows, toRows } from '../../database/read_rows.ts'
import { Contact } from '../../entities/people/contact.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { phoneForms } from '../../values/phone_forms.ts'
import { contactContains } from '../common/contains.ts'
import { type CountedPage, toPage, type Window } from '../common/keyset.ts'
import { createdWithin, type TimeRange } from '../common/time_range.ts'

export type ContactFilter = TimeRange & {
  channel_type?: string | undefined
  /** Text that the name, the phone or the `user_id` contains. */
  search?: string | undefined
  phone?: string | undefined
  customer_id?: string | undefined
}

/** The contact with this id, or the one that it was merged into. Undefined when the project has none. */
export async function findContact(database: Database, project_id: string, _id: string): Promise<Contact | undefined> {
  const [found] = await readRows(database, Contact, { _id, project_id })
  if (!found?.merged_into) return found
  return (await readRows(database, Contact, { _id: found.merged_into, project_id }))[0]
}

/** Contacts of the project, newest first, and their total number. */
export async function listContacts(
  database: Database,
  project_id: string,
  { search, since, until, phone, ...exact }: ContactFilter,
  { limit, offset, cursor }: Window,
): Promise<CountedPage<Contact>> {
  const conditions = [
    sql`project_id = ${project_id}`,
    sql`merged_into is null`,
    ...createdWithin({ since, until }, { id: '_id' }),
  ]
  for (const [column, value] of Object.entries(exact)) {
    if (value !== undefined) conditions.push(sql`${sql.id(column)} = ${value}`)
  }
  // What was merged into a contact is found as the contact.
  const matching = (condition: (alias: Sql) => Sql) =>
    conditions.push(sql`(${condition(sql`contact`)} or _id = any (array(select f.merged_into from contact f
      where f.project_id = ${project_id} and f.merged_into is not null and ${condition(sql`f`)})))`)
  if (phone !== undefined) matching((alias) => sql`${alias}.phone in (${sql.list(phoneForms(phone))})`)
  if (search) matching((alias) => contactContains(alias, search))
  const where = sql.join(conditions, ' and ')
  const after_cursor = cursor === undefined ? where : sql`${where} and _id < ${cursor}`
  // One after the other: a read has one connection.
  const rows = await database.execute(sql`
    select ${columnsOf(database, Contact, sql`c`)} from (select _id from contact where ${after_cursor} order by _id desc limit ${limit + 1} offset ${offset}) page
    join contact c using (_id) order by c._id desc`)
  const [counted] = await database.execute<{ total: number }>(
    sql`select count(*)::integer as total from contact where ${where}`,
  )
  return { ...toPage(toRows(database, Contact, rows), limit, ({ _id }) => _id), total: counted!.total }
}
