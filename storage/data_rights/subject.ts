/** The subject of an export or an erasure: a contact, a customer with all contacts, or a whole project. */
import type { Database } from '../database/database.ts'
import type { RightsKind } from '../entities/data_rights/data_erasure.ts'
import { type Sql, sql } from '../sql/sql.ts'

/** The record that an operator names. */
export type NamedSubject = {
  kind: RightsKind
  subject_id: string
  company_id: string
  /** Null for a customer. */
  project_id: string | null
}

/** Ids that lead to the records of a subject. Those of a project are empty: its records are found by the project. */
export type Subject = NamedSubject & {
  /** Projects that may have records of the subject. */
  projects: string[]
  contacts: string[]
  customers: string[]
  tickets: string[]
  /** Ids of other records of the person that were deleted. */
  records: string[]
  /** Phones, addresses and ids within channels. */
  identities: string[]
  /** The contacts of a running erasure, with what names them. Empty before. */
  known: KnownContact[]
}

/**
 * In its project the identities stand for the contact, up to the moment at which the project has forgotten it: what comes
 * later is of a new contact.
 */
export type KnownContact = { project_id: string; identities: string[]; forgotten_at: Date | null }

const tables = { contact: sql`contact`, customer: sql`customer`, project: sql`project` } as const

/** Undefined when there is no such record. */
export async function findSubject(
  database: Database,
  kind: RightsKind,
  subject_id: string,
): Promise<NamedSubject | undefined> {
  const project = { contact: sql`project_id`, customer: sql`null`, project: sql`_id` }[kind]
  const [row] = await database.execute<{ company_id: string; project_id: string | null }>(
    sql`select company_id, ${project} as project_id from ${tables[kind]} where _id = ${subject_id}`,
  )
  return row && { kind, subject_id, ...row }
}

/** Runs one statement and returns its rows: in a transaction, or in a snapshot. */
export type Query = <Row>(sql: Sql) => Promise<Row[]>

/** The subject as its records show it at this moment. */
export async function resolveSubject(query: Query, named: NamedSubject): Promise<Subject> {
  const { kind, subject_id, company_id, project_id } = named
  const none = { contacts: [], customers: [], tickets: [], records: [], identities: [], known: [] }
  if (kind === 'project') return { ...named, projects: [subject_id], ...none }
  const projects = project_id
    ? [project_id]
    : (await query<{ _id: string }>(sql`select _id from project where company_id = ${company_id}`)).map(
        ({ _id }) => _id,
      )
  const contacts = await query<{ _id: string; identities: string[] }>(sql`
    select _id, ${contactIdentities(sql`contact`)} as identities from contact where _id in (${personOf(named)})`)
  const customers = kind === 'customer' ? [subject_id] : []
  const points = await query<{ identities: string[] }>(sql`
    select ${customerIdentities(sql`customer`)} as identities from customer where _id = any (${customers})`)
  const ids = contacts.map(({ _id }) => _id)
  const tickets = await query<{ _id: string }>(sql`select _id from ticket where chat_user = any (${ids})`)
  return {
    ...named,
    projects,
    contacts: ids,
    customers,
    tickets: tickets.map(({ _id }) => _id),
    records: [],
    identities: [...new Set([...contacts, ...points].flatMap(({ identities }) => identities))],
    known: [],
  }
}

/** The ids of all contacts of a person, in SQL: those that were merged are one person. */
export function personOf({ kind, subject_id }: Pick<NamedSubject, 'kind' | 'subject_id'>): Sql {
  const is_named = kind === 'contact' ? sql`_id = ${subject_id}` : sql`customer_id = ${subject_id}`
  return sql`with survivor as (select distinct coalesce(merged_into, _id) as _id from contact where ${is_named})
    select _id from survivor union select member._id from survivor join contact member on member.merged_into = survivor._id`
}

/** The identities of a contact: erasures look for them, and prove that they are gone. */
export function contactIdentityList({ user_id, phone, bsuid }: Identified): string[] {
  return [user_id, phone, bsuid].filter((one): one is string => Boolean(one))
}

type Identified = { user_id: string; phone?: string | null | undefined; bsuid?: string | null | undefined }

/** The same as an array of SQL. */
export function contactIdentities(alias: Sql): Sql {
  return sql`array_remove(array[${alias}.user_id, ${alias}.phone, ${alias}.bsuid], null)`
}

/** The phone and the address of a customer, in SQL. */
export function customerIdentities(alias: Sql): Sql {
  return sql`array_remove(array[${alias}.phone, ${alias}.email], null)`
}

/** Shorter identities stand for too many other things. */
const MIN_IDENTITY = 6
/** Alternatives of one regular expression. */
const MAX_ALTERNATIVES = 200

/** A condition of SQL: the JSON of `column` has the id of a record of the subject. Ids are found anywhere. */
export function namesRecords(column: Sql, subject: Subject): Sql {
  return matches(column, recordIds(subject))
}

/** The same for identities of contacts, in messages of actors that are known to be of their projects. */
export function namesIdentities(column: Sql, { known }: Subject): Sql {
  return matches(column, anywhere(known.flatMap(({ identities }) => identities)))
}

/** The columns of a row that say which project it belongs to, and when it was made. */
export type Placed = { project: Sql; at: Sql }

/**
 * A condition of SQL: the row is about the subject. The JSON of `column` has the id of a record, or it has an identity
 * and the row is of a project, and of a time, in which the identity stood for a contact of the subject. In records of
 * ours an identity stands in one of the fields for it; in what tenants and providers name as they like, `anywhere`.
 */
export function isAbout(
  column: Sql,
  subject: Subject,
  { project, at }: Placed,
  place: 'fields' | 'anywhere' = 'anywhere',
): Sql {
  const alternatives = place === 'fields' ? atFields : anywhere
  const known = subject.known.map(({ project_id, identities, forgotten_at }) => {
    const until = forgotten_at === null ? sql`true` : sql`${at} <= ${forgotten_at}`
    return sql`(${project} = ${project_id} and ${until} and ${matches(column, alternatives(identities))})`
  })
  return sql`(${sql.join([namesRecords(column, subject), ...known], ' or ')})`
}

/** Finds the subject in the JSON of rows of its projects: by ids of records, and by identities. */
export function patternsOf(subject: Subject): { records: RegExp | undefined; identities: RegExp | undefined } {
  const toPattern = (alternatives: string[]) =>
    alternatives.length === 0 ? undefined : new RegExp(alternatives.join('|'), 'i')
  const identities = subject.known.flatMap((one) => one.identities)
  return { records: toPattern(recordIds(subject)), identities: toPattern(anywhere(identities)) }
}

function matches(column: Sql, alternatives: string[]): Sql {
  const parts: Sql[] = []
  for (let at = 0; at < alternatives.length; at += MAX_ALTERNATIVES) {
    parts.push(sql`${column}::text ~* ${alternatives.slice(at, at + MAX_ALTERNATIVES).join('|')}`)
  }
  return parts.length === 0 ? sql`false` : sql`(${sql.join(parts, ' or ')})`
}

function recordIds({ contacts, customers, tickets, records }: Subject): string[] {
  return [...contacts, ...customers, ...tickets, ...records]
}

/** Fields that hold identities, in our records and in what providers send. */
const FIELDS = [
  ...['phone', 'phones', 'phone_number', 'wa_id', 'user_id', 'from_user_id', 'recipient_user_id', 'bsuid', 'chat_id'],
  ...['from', 'to', 'sender', 'recipient', 'recipients', 'recipient_id', 'email', 'emails', 'address', 'identity'],
]
/** Fields of what people look for, which may be any word. */
const ASKED_FIELDS = ['search', 'q', 'input']
/** A phone, a number of a provider or an address. An id within a channel may be any word, and a word names no person. */
const UNMISTAKABLE = /\d{6}|@/

/**
 * Regular expressions that PostgreSQL and JavaScript read alike. An identity counts only as a whole value: of a field for
 * identities, or in a list where nothing else looks like it. So the texts of other people do not count. The JSON may be
 * quoted within JSON.
 */
function atFields(identities: readonly string[]): string[] {
  return valuesOf(identities).map(({ value, is_unmistakable }) =>
    is_unmistakable
      ? `("(${[...FIELDS, ...ASKED_FIELDS].join('|')})\\\\*":|,|\\[)\\s*${value}`
      : `"(${FIELDS.join('|')})\\\\*":\\s*${value}`,
  )
}

/** The same, and those that cannot be mistaken for anything else as a whole value of any field. */
function anywhere(identities: readonly string[]): string[] {
  const bare = valuesOf(identities).filter(({ is_unmistakable }) => is_unmistakable)
  return [...atFields(identities), ...bare.map(({ value }) => value)]
}

function valuesOf(identities: readonly string[]): { value: string; is_unmistakable: boolean }[] {
  const bare = identities
    .map((identity) => identity.replace(/^\+/, ''))
    .filter((identity) => identity.length >= MIN_IDENTITY)
  return [...new Set(bare)].map((identity) => ({
    value: `\\\\*"\\+?${escaped(identity)}(@[a-z.]+)?\\\\*"`,
    is_unmistakable: UNMISTAKABLE.test(identity),
  }))
}

/** Signs that are special in either language. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
