/**
 * One moment of the database, read record by record: a transaction with one snapshot, on a connection of its own. The
 * lines are written to a local file, so the snapshot does not last longer than the reading.
 */

import type { Session } from '../../connections/session.ts'
import type { Database } from '../../database/database.ts'
import { tableOf } from '../../database/write_set.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import type { RecordKind } from '../record_kind.ts'
import { recordKinds } from '../records/list.ts'
import { type NamedSubject, type Query, resolveSubject } from '../subject.ts'

/** Characters of a page; a page has at least one record. */
const PAGE_CHARACTERS = 1024 * 1024
const FIRST_PAGE = 50
const MAX_ROWS = 2000

export type ExportedPage = {
  type: string
  count: number
  /** Lines of JSON, each with its line feed. */
  text: string
}

/** A file that we store. */
export type ExportedFile = { media_id: string; blob_key: string }

export type ExportSnapshot = {
  /** The moment, in ISO 8601. */
  taken_at: string
  /** All records of the subject, kind by kind. */
  pages(): AsyncGenerator<ExportedPage>
  files(): AsyncGenerator<ExportedFile[]>
  close(): Promise<void>
}

export async function openSnapshot(database: Database, named: NamedSubject): Promise<ExportSnapshot> {
  const session = await database.session()
  try {
    // A slow disk must not end it.
    await session.query(`set idle_in_transaction_session_timeout = '10min'; set timezone = 'UTC'`)
    await session.query('begin isolation level repeatable read read only')
    const query = querying(session)
    const [moment] = await query<{ now: string }>(sql`select ${instant(sql`now()`)} as now`)
    const subject = await resolveSubject(query, named)
    const conditionOf = (kind: RecordKind) => (named.kind === 'project' ? kind.project : kind.person)?.(subject)
    return {
      taken_at: moment!.now,
      async *pages() {
        for (const kind of recordKinds) {
          const where = kind.entity && conditionOf(kind)
          if (where !== undefined) yield* pagesOf(database, query, kind, where)
        }
      },
      async *files() {
        const where = conditionOf(recordKinds.find(({ type }) => type === 'media')!)!
        yield* rowsOf<ExportedFile>(
          query,
          sql`select media_id, blob_key from media where blob_key is not null and expires_at > now() and ${where}`,
          () => MAX_ROWS,
        )
      },
      close: () => session.end(),
    }
  } catch (error) {
    await session.end().catch(() => {})
    throw error
  }
}

function querying(session: Session): Query {
  return async <Row>({ sql }: Sql) => {
    const result = await session.query(sql)
    const last = Array.isArray(result) ? result.at(-1)! : result
    return last.rows as Row[]
  }
}

async function* pagesOf(
  database: Database,
  query: Query,
  { type, table, entity, hidden = [] }: RecordKind,
  where: Sql,
): AsyncGenerator<ExportedPage> {
  const { types, timestamps } = tableOf(database.orm, entity!)
  const columns = [...types.keys()]
    .filter((column) => !hidden.includes(column))
    .map((column) =>
      timestamps.includes(column)
        ? sql`${instant(sql`${sql.id(column)}`)} as ${sql.id(column)}`
        : sql`${sql.id(column)}`,
    )
  let rows = FIRST_PAGE
  const records = rowsOf<{ record: string }>(
    query,
    sql`select row_to_json(one)::text as record from (select ${sql.join(columns, ', ')} from ${sql.id(table)} where ${where}) one`,
    () => rows,
  )
  for await (const page of records) {
    // Stored JSON may have line feeds between its parts, never within a text.
    const lines = page.map(({ record }) => `{"type":"${type}","record":${record.replaceAll(/[\r\n]/g, ' ')}}\n`)
    const text = lines.join('')
    rows = Math.min(MAX_ROWS, 2 * rows, Math.max(1, Math.floor((page.length * PAGE_CHARACTERS) / text.length)))
    yield { type, count: page.length, text }
  }
}

/** Reads the rows of a statement in pages of `rows()`. */
async function* rowsOf<Row>(query: Query, statement: Sql, rows: () => number): AsyncGenerator<Row[]> {
  await query(sql`declare exported no scroll cursor for ${statement}`)
  for (;;) {
    const asked = rows()
    const page = await query<Row>(sql`fetch ${asked} from exported`)
    if (page.length > 0) yield page
    if (page.length < asked) break
  }
  await query(sql`close exported`)
}

/** A timestamp as in the API. */
function instant(expression: Sql): Sql {
  return sql`to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}
