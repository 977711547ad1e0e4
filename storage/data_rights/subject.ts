/** The subject of an export or an erasure: a contact, a customer with all contacts, or a whole project. */
import type { Database } from '../database.ts'
import type { RightsKind } from '../entities/data_erasure.ts'
import { literal } from '../write_set.ts'

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

const tables = { contact: 'contact', customer: 'customer', project: 'project' } as const

/** Undefined when there is no such record. */
export async function findSubject(
  database: Database,
  kind: RightsKind,
  subject_id: string,
): Promise<NamedSubject | undefined> {
  const project = { contact: 'project_id', customer: 'null', project: '_id' }[kind]
  const [row] = await database.execute<{ company_id: string; project_id: string | null }>(
    `select company_id, ${project} as project_id from ${tables[kind]} where _id = ?`,
    [subject_id],
  )
  return row && { kind, subject_id, ...row }
}

/** An array of SQL. */
export function textArray(values: readonly string[]): string {
  return `array[${values.map(literal).join()}]::text[]`
}

/** Runs one statement and returns its rows: in a transaction, or in a snapshot. */
export type Query = <Row>(sql: string) => Promise<Row[]>

/** The subject as its records show it at this moment. */
export async function resolveSubject(query: Query, named: NamedSubject): Promise<Subject> {
  const { kind, subject_id, company_id, project_id } = named
  const none = { contacts: [], customers: [], tickets: [], records: [], identities: [], known: [] }
  if (kind === 'project') return { ...named, projects: [subject_id], ...none }
  const projects = project_id
    ? [project_id]
    : (await query<{ _id: string }>(`select _id from project where company_id = ${literal(company_id)}`)).map(
        ({ _id }) => _id,
      )
  const column = kind === 'contact' ? '_id' : 'customer_id'
  const contacts = await query<{ _id: string; identities: string[] }>(`
    select _id, ${contactIdentities('contact')} as identities from contact where ${column} = ${literal(subject_id)}`)
  const customers = kind === 'customer' ? [subject_id] : []
  const points = await query<{ identities: string[] }>(`
    select ${customerIdentities('customer')} as identities from customer where _id = any (${textArray(customers)})`)
  const ids = contacts.map(({ _id }) => _id)
  const tickets = await query<{ _id: string }>(`select _id from ticket where chat_user = any (${textArray(ids)})`)
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

/** The identities of a contact: erasures look for them, and prove that they are gone. */
export function contactIdentityList({ user_id, phone, bsuid }: Identified): string[] {
  return [user_id, phone, bsuid].filter((one): one is string => Boolean(one))
}

type Identified = { user_id: string; phone?: string | null | undefined; bsuid?: string | null | undefined }

/** The same as an array of SQL. */
export function contactIdentities(alias: string): string {
  return `array_remove(array[${alias}.user_id, ${alias}.phone, ${alias}.bsuid], null)`
}

/** The phone and the address of a customer, in SQL. */
export function customerIdentities(alias: string): string {
  return `array_remove(array[${alias}.phone, ${alias}.email], null)`
}

/** Shorter identities stand for too many other things. */
const MIN_IDENTITY = 6
/** Alternatives of one regular expression. */
const MAX_ALTERNATIVES = 200

/** A condition of SQL: the JSON of `column` has the id of a record of the subject. Ids are found anywhere. */
export function namesRecords(column: string, subject: Subject): string {
  return matches(column, recordIds(subject))
}

/** The same for identities of contacts, in messages of actors that are known to be of their projects. */
export function namesIdentities(column: string, { known }: Subject): string {
  return matches(column, anywhere(known.flatMap(({ identities }) => identities)))
}

/** The columns of a row that say which project it belongs to, and when it was made. */
export type Placed = { project: string; at: string }

/**
 * A condition of SQL: the row is about the subject. The JSON of `column` has the id of a record, or it has an identity
 * and the row is of a project, and of a time, in which the identity stood for a contact of the subject. In records of
 * ours an identity stands in one of the fields for it; in what tenants and providers name as they like, `anywhere`.
 */
export function isAbout(
  column: string,
  subject: Subject,
  { project, at }: Placed,
  place: 'fields' | 'anywhere' = 'anywhere',
): string {
  const alternatives = place === 'fields' ? atFields : anywhere
  const known = subject.known.map(({ project_id, identities, forgotten_at }) => {
    const until = forgotten_at === null ? 'true' : `${at} <= ${literal(forgotten_at.toISOString())}`
    return `(${project} = ${literal(project_id)} and ${until} and ${matches(column, alternatives(identities))})`
  })
  return `(${[namesRecords(column, subject), ...known].join(' or ')})`
}

/** Finds the subject in the JSON of rows of its projects: by ids of records, and by identities. */
export function patternsOf(subject: Subject): { records: RegExp | undefined; identities: RegExp | undefined } {
  const toPattern = (alternatives: string[]) =>
    alternatives.length === 0 ? undefined : new RegExp(alternatives.join('|'), 'i')
  const identities = subject.known.flatMap((one) => one.identities)
  return { records: toPattern(recordIds(subject)), identities: toPattern(anywhere(identities)) }
}

function matches(column: string, alternatives: string[]): string {
  const parts: string[] = []
  for (let at = 0; at < alternatives.length; at += MAX_ALTERNATIVES) {
    parts.push(`${column}::text ~* ${literal(alternatives.slice(at, at + MAX_ALTERNATIVES).join('|'))}`)
  }
  return parts.length === 0 ? 'false' : `(${parts.join(' or ')})`
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
