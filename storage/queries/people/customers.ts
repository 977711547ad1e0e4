/**
 * Customers of a company. Lists report the exact total, at a million customers nearly as fast as at a thousand:
 *
 * - `customer_gram` counts, for every piece of one to three characters, the customers whose name or e-mail address has
 *   it (triggers of the table maintain it). So the total of a search for one or two characters is one row, and so is
 *   that of the whole list, under the empty piece.
 * - A longer search ignores accents. It is counted by reading the customers that match, out of an index. The total is
 *   kept for the following pages, until the company's customers change.
 * - A page is cut from the list itself where many of its customers match, walked from the nearer end; else from the
 *   matches of the index.
 */
import type { Database } from '../../database/database.ts'
import { columnsOf, type Read, toRows } from '../../database/read_rows.ts'
import { Customer } from '../../entities/people/customer.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { phoneForms } from '../../values/phone_forms.ts'
import { foldedContains } from '../common/contains.ts'
import { type CountedPage, toPage, type Window } from '../common/keyset.ts'
import { knownTotals } from '../common/known_totals.ts'

export type CustomerFilter = {
  /** Text that the name or the e-mail address contains. */
  search?: string | undefined
  /** E.164. */
  phone?: string | undefined
  external_id?: string | undefined
}

/** `ids`: one more than the page, where another page follows. */
type Found = { total: number; ids: string[] }

type ReadCustomer = Read<Customer> & { chat_users: string[] }

/** A customer as the API shows it. */
export type CustomerRecord = ReturnType<typeof toCustomerRecord>

function toCustomerRecord({ company_id, ...customer }: ReadCustomer) {
  return customer
}

/** The reader of customers. `project_id`: the project whose contacts are included; without it those of all projects. */
type Reader = { company_id: string; project_id?: string | undefined }

/** The customer with this id, or undefined when the company has none. */
export async function findCustomer(
  database: Database,
  reader: Reader,
  _id: string,
): Promise<CustomerRecord | undefined> {
  return (await readCustomers(database, reader, [_id]))[0]
}

/** Customers of the company, newest first, and their total number. */
export async function listCustomers(
  database: Database,
  reader: Reader,
  { search, phone, external_id }: CustomerFilter,
  window: Window,
): Promise<CountedPage<CustomerRecord>> {
  const { company_id } = reader
  const mine = sql`company_id = ${company_id}`
  const { total, ids } =
    phone !== undefined || external_id !== undefined
      ? await among(
          database,
          [
            mine,
            ...(phone === undefined ? [] : [sql`phone in (${sql.list(phoneForms(phone))})`]),
            ...(external_id === undefined ? [] : [sql`external_id = ${external_id}`]),
            ...(search ? [holds(search)] : []),
          ],
          window,
        )
      : search
        ? await searched(database, company_id, search, window)
        : await cut(database, [mine], (await countPiece(database, company_id, '')).all, window)
  return { ...toPage(await readCustomers(database, reader, ids), window.limit, ({ _id }) => _id), total }
}

async function searched(database: Database, company_id: string, search: string, window: Window): Promise<Found> {
  const mine = sql`company_id = ${company_id}`
  const is_short = [...search].length < FOLDED
  const { all, count, version } = await countPiece(database, company_id, is_short ? search : '')
  if (is_short && count === 0) return { total: 0, ids: [] }
  const conditions = [mine, is_short ? has(search) : holds(search)]
  const known = is_short ? count : knownTotals(database).get(`${company_id} ${search}`, version)
  const steps = Math.min(window.offset + window.limit, Math.max((known ?? 0) - window.offset, 0))
  // A walk skips customers that do not match; the index names those that do.
  if (known !== undefined && steps * all <= known * known) return cut(database, conditions, known, window)
  const indexed = is_short ? sql`customer_grams(full_name, email) @> array[lower(${search})]` : sql`true`
  const found = await among(database, [...conditions, indexed], window)
  if (!is_short) knownTotals(database).set(`${company_id} ${search}`, version, found.total)
  return found
}

/** Characters from which on a search ignores accents: shorter ones are answered by counted pieces, which have them. */
const FOLDED = 3

/** The name or the address contains the text, whatever their accents are; as the index has it. */
function holds(search: string): Sql {
  return foldedContains(sql`full_name || E'\\x01' || coalesce(email, '')`, search)
}

/** The name or the address has the piece. */
function has(piece: string): Sql {
  return sql`(strpos(lower(full_name), lower(${piece})) > 0 or strpos(lower(email), lower(${piece})) > 0)`
}

/** `version` changes whenever a customer was created, changed or deleted. */
type Counted = { count: number; all: number; version: string }

/** The number of customers that have a piece of one or two characters, and of all. */
async function countPiece(database: Database, company_id: string, piece: string): Promise<Counted> {
  const [row] = await database.execute<{ count: string; all: string; version: string | null }>(sql`
    select coalesce(max(count) filter (where gram = lower(${piece})), 0)::text as count,
      coalesce(max(count) filter (where gram = ''), 0)::text as all, max(xmin::text) filter (where gram = '') as version
    from customer_gram where company_id = ${company_id} and gram in ('', lower(${piece}))`)
  const { count, all, version } = row!
  return { count: Number(count), all: Number(all), version: version ?? '' }
}

/** A page of a list of known length: after the cursor, else from the nearer end. */
async function cut(database: Database, conditions: Sql[], total: number, window: Window): Promise<Found> {
  const { limit, offset, cursor } = window
  if (cursor !== undefined) {
    const after = sql.join([...conditions, sql`_id < ${cursor}`], ' and ')
    const next = await database.execute<{ _id: string }>(
      sql`select _id from customer where ${after} order by _id desc limit ${limit + 1}`,
    )
    return { total, ids: next.map(({ _id }) => _id) }
  }
  const count = Math.min(limit + 1, total - offset)
  if (count <= 0) return { total, ids: [] }
  const behind = total - offset - count
  const [order, skip] = behind < offset ? (['asc', behind] as const) : (['desc', offset] as const)
  const rows = await database.execute<{ _id: string }>(
    sql`select _id from customer where ${sql.join(conditions, ' and ')} order by _id ${sql.direction(order)} limit ${count} offset ${skip}`,
  )
  const ids = rows.map(({ _id }) => _id)
  return { total, ids: order === 'asc' ? ids.reverse() : ids }
}

/** A page of the matches of the conditions, all of which are read. */
async function among(database: Database, conditions: Sql[], { limit, offset, cursor }: Window): Promise<Found> {
  const after = cursor === undefined ? sql`` : sql`where _id < ${cursor}`
  const [row] = await database.execute<Found>(sql`
    with found as materialized (select _id from customer where ${sql.join(conditions, ' and ')})
    select (select count(*) from found)::integer as total,
      array(select _id from found ${after} order by _id desc limit ${limit + 1} offset ${offset}) as ids`)
  return row!
}

async function readCustomers(
  database: Database,
  { company_id, project_id }: Reader,
  ids: string[],
): Promise<CustomerRecord[]> {
  if (ids.length === 0) return []
  const mine = sql`company_id = ${company_id}`
  const scope = project_id === undefined ? mine : sql`project_id = ${project_id}`
  const rows = await database.execute(sql`
    select ${columnsOf(database, Customer, sql`c`)}, array(select _id from contact where customer_id = c._id and merged_into is null and ${scope} order by _id) as chat_users
    from customer c where ${mine} and _id in (${sql.list(ids)}) order by _id desc`)
  return toRows(database, Customer, rows).map((row) => toCustomerRecord(row as ReadCustomer))
}
