/** Loyalty programs, memberships and ledgers. */
import type { Database } from '../../database/database.ts'
import { columnsOf, readRows, toRows } from '../../database/read_rows.ts'
import { LoyaltyEntry, type MovementKind } from '../../entities/people/loyalty_entry.ts'
import { LoyaltyMembership, type MembershipStatus } from '../../entities/people/loyalty_membership.ts'
import { LoyaltyProgram } from '../../entities/people/loyalty_program.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import type { LoyaltyProgramType } from '../../values/loyalty_rules.ts'
import { type CountedPage, toPage, type Window } from '../common/keyset.ts'

export async function findLoyaltyProgram(
  database: Database,
  project_id: string,
  _id: string,
): Promise<LoyaltyProgram | undefined> {
  const [row] = await readRows(database, LoyaltyProgram, { _id, project_id })
  return row
}

export type LoyaltyProgramFilter = {
  project_id?: string | undefined
  type?: LoyaltyProgramType | undefined
  is_active?: boolean | undefined
}

/** Programs, newest first, and their total number. */
export async function listLoyaltyPrograms(
  database: Database,
  { project_id, type, is_active }: LoyaltyProgramFilter,
  window: Window,
): Promise<CountedPage<LoyaltyProgram>> {
  const conditions = [
    project_id !== undefined && sql`project_id = ${project_id}`,
    type !== undefined && sql`type = ${type}`,
    is_active !== undefined && (is_active ? sql`is_active` : sql`not is_active`),
  ]
  return pageOf(database, LoyaltyProgram, 'loyalty_program', conditions, '_id', window)
}

type Member = { membership: LoyaltyMembership; program: LoyaltyProgram }

/** A membership of the project, with its program. */
export async function findMembership(database: Database, project_id: string, _id: string): Promise<Member | undefined> {
  const [membership] = await readRows(database, LoyaltyMembership, { _id, project_id })
  const [member] = membership ? await withPrograms(database, [membership]) : []
  return member
}

export type MembershipFilter = {
  project_id?: string | undefined
  program_id?: string | undefined
  customer_id?: string | undefined
  serial_number?: string | undefined
  status?: MembershipStatus | undefined
}

/** Memberships, newest first, and their total number. */
export async function listMemberships(
  database: Database,
  filter: MembershipFilter,
  window: Window,
): Promise<CountedPage<Member>> {
  const conditions = Object.entries(filter).map(([column, value]) => {
    return value !== undefined && sql`${sql.id(column)} = ${value}`
  })
  const found = await pageOf(database, LoyaltyMembership, 'loyalty_membership', conditions, '_id', window)
  return { ...found, data: await withPrograms(database, found.data) }
}

async function withPrograms(database: Database, memberships: LoyaltyMembership[]): Promise<Member[]> {
  if (memberships.length === 0) return []
  const ids = [...new Set(memberships.map(({ program_id }) => program_id))]
  const programs = new Map((await readRows(database, LoyaltyProgram, { _id: ids })).map((row) => [row._id, row]))
  // A membership whose program is gone was erased between the two reads.
  return memberships.flatMap((membership) => {
    const program = programs.get(membership.program_id)
    return program ? [{ membership, program }] : []
  })
}

export type EntryFilter = { kind?: MovementKind | undefined; ref?: string | undefined }

/**
 * Entries of a ledger, newest first, and their total number. Cursors are numbers of entries. Without a filter any page
 * costs the same: entries are numbered without gaps.
 */
export async function listEntries(
  database: Database,
  { _id, entry_count }: Pick<LoyaltyMembership, '_id' | 'entry_count'>,
  { kind, ref }: EntryFilter,
  window: Window,
): Promise<CountedPage<LoyaltyEntry>> {
  const mine = sql`membership_id = ${_id}`
  if (kind !== undefined || ref !== undefined) {
    const conditions = [mine, kind !== undefined && sql`kind = ${kind}`, ref !== undefined && sql`ref = ${ref}`]
    return pageOf(database, LoyaltyEntry, 'loyalty_entry', conditions, 'number', window)
  }
  const { limit, offset, cursor } = window
  const last = Math.min(entry_count, Number(cursor ?? Number.POSITIVE_INFINITY) - 1) - offset
  const rows = await database.execute(sql`
    select ${columnsOf(database, LoyaltyEntry)} from loyalty_entry
    where ${mine} and number <= ${last} and number >= ${last - limit} order by number desc`)
  const entries = toRows(database, LoyaltyEntry, rows)
  return { ...toPage(entries, limit, ({ number }) => String(number)), total: entry_count }
}

/** `key`: the column by which the list is ordered, and that cursors show. */
async function pageOf<Row extends object, Key extends keyof Row & string>(
  database: Database,
  entity: Parameters<typeof toRows<Row>>[1],
  table: string,
  conditions: (Sql | false)[],
  key: Key,
  { limit, offset, cursor }: Window,
): Promise<CountedPage<Row>> {
  const fields = conditions.filter((one) => one !== false)
  const where = (all: Sql[]) => (all.length > 0 ? sql`where ${sql.join(all, ' and ')}` : sql``)
  const condition = where(cursor === undefined ? fields : [...fields, sql`${sql.id(key)} < ${cursor}`])
  const [rows, [counted]] = await Promise.all([
    database.execute(sql`
      select ${columnsOf(database, entity)} from ${sql.id(table)} ${condition}
      order by ${sql.id(key)} desc limit ${limit + 1} offset ${offset}`),
    database.execute<{ total: number }>(sql`select count(*)::integer as total from ${sql.id(table)} ${where(fields)}`),
  ])
  const found = toRows(database, entity, rows)
  return { ...toPage(found, limit, (row) => String(row[key])), total: counted!.total }
}

/** The memberships of a project that expire next, the first ones first: those that are due, and those that are not. */
export async function readNextExpiries(
  database: Database,
  project_id: string,
  limit: number,
): Promise<LoyaltyMembership[]> {
  const days = sql`(program.rules #>> '{points,expiration_days}')::integer`
  const rows = await database.execute(sql`
    select ${columnsOf(database, LoyaltyMembership, sql`m`)} from loyalty_program program
    cross join lateral (
      select * from loyalty_membership
      where program_id = program._id and expired_at is null order by enrolled_at, _id limit ${limit}
    ) m
    where program.project_id = ${project_id} and program.type = 'points' and ${days} > 0
    order by m.enrolled_at + make_interval(hours => 24 * ${days}), m._id limit ${limit}`)
  return toRows(database, LoyaltyMembership, rows)
}
