/**
 * Makes an archive of a database and of its files, while nodes serve.
 *
 *  B1 All tables are read under one snapshot. What was committed before it is in the archive, and nothing of what was
 *  committed after it.
 *  B2 Memory does not depend on the size of the database. Files are read after the snapshot has ended, because a snapshot
 *  keeps dead rows.
 *  B3 No migration changes a table between the snapshot and the end of the rows.
 */
import { addAbortSignal } from 'node:stream'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type BlobStore, isKey } from '../blobs/blob_store.ts'
import { rowsOf } from '../connections/rows_of.ts'
import type { Session } from '../connections/session.ts'
import type { Database } from '../database/database.ts'
import { MIGRATION_LOCK } from '../migrating/session.ts'
import { sql } from '../sql/sql.ts'
import { ArchiveWriter, json } from './archive_writer.ts'
import { BackupError } from './backup_error.ts'
import { BLOB_COLUMN, type CopiedTable, estimateBytes, readSequences, readTables } from './catalogue.ts'
import { copyOut } from './copy.ts'
import {
  blobPart,
  FORMAT,
  HEAD,
  type Head,
  type Manifest,
  SETTINGS,
  type Settings,
  type Totals,
  tableDirectory,
  tablePart,
} from './format.ts'
import { KeyList } from './key_list.ts'
import { readSealedKeys } from './sealed_keys.ts'
import { SESSION } from './session_settings.ts'

/** Bytes of rows in a part. */
const PART_BYTES = 4 * 1024 * 1024
/** Speed counts: the fastest level saves most of the space. */
const LEVEL = 1
/** Connections that read tables at the same time. */
const READERS = 2

const compress = promisify<Buffer, { level: number }, Buffer>(gzip)

export type BackupOptions = {
  parley: string
  settings: Settings
  /** Takes the bytes of the archive, and resolves when more may come. */
  sink: (bytes: Buffer) => Promise<void>
  /** Bytes read so far, and about how many there are. */
  progress?: (done: number, about: number) => void
  signal?: AbortSignal
  /** Called when the snapshot is taken. */
  snapshot?: (head: Head) => void | Promise<void>
}

/**
 * @throws {BackupError} while a migration is under way, or when the database has not been migrated
 */
export async function makeBackup(database: Database, blobs: BlobStore, options: BackupOptions): Promise<Manifest> {
  const keys = await KeyList.open()
  try {
    return await make(database, blobs, keys, options)
  } finally {
    await keys.remove()
  }
}

async function make(database: Database, blobs: BlobStore, keys: KeyList, options: BackupOptions): Promise<Manifest> {
  const { signal, settings, sink } = options
  const writer = new ArchiveWriter(async (bytes) => {
    signal?.throwIfAborted()
    await sink(bytes)
  })
  const sessions = new Sessions(database)
  const stop = () => sessions.end()
  signal?.addEventListener('abort', stop)
  const tables: [string, Totals][] = []
  let done = 0
  let about = 0
  const read = (bytes: number) => {
    done += bytes
    options.progress?.(Math.min(done, about), about)
  }
  let reading: Promise<void>[] = []
  try {
    const first = await sessions.open()
    const { head, snapshot } = await beginSnapshot(first, options.parley, blobs)
    about = (await estimateBytes(first)) + (await blobBytes(first, head.tables))
    await options.snapshot?.(head)
    await writer.part(HEAD, json(head))
    await writer.part(SETTINGS, json(settings))
    const queue = [...head.tables.entries()]
    const work = async (session: Session) => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const [index, table] = next
        tables.push([table.name, await copyTable(session, table, tableDirectory(table.name, index), writer, read)])
      }
    }
    const readers = Array.from({ length: READERS - 1 }, async () => {
      const session = await sessions.open()
      await rowsOf(session, sql`begin isolation level repeatable read, read only; set transaction snapshot ${snapshot}`)
      await work(session)
    })
    reading = [work(first), ...readers]
    await Promise.all(reading)
    await noteKeys(first, head.tables, keys)
  } catch (error) {
    // The reason of the abort, not the error that it caused in a statement.
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', stop)
    sessions.end()
    // None of them may go on, or fail unheard, after this call.
    await Promise.allSettled(reading)
  }
  const files = await copyBlobs(blobs, keys, writer, read, signal)
  options.progress?.(about, about)
  const sorted = Object.fromEntries(tables.sort(([a], [b]) => (a < b ? -1 : 1)))
  const [clock] = await database.execute<{ now: string }>(sql`select clock_timestamp() as now`)
  const finished_at = new Date(clock!.now).toISOString()
  return writer.finish({ finished_at, tables: sorted, blobs: files })
}

/** The connections of a backup, which end together. */
class Sessions {
  readonly #database: Database
  readonly #open: Session[] = []
  #is_over = false

  constructor(database: Database) {
    this.#database = database
  }

  async open(): Promise<Session> {
    const session = await this.#database.session()
    this.#open.push(session)
    if (this.#is_over) this.end()
    await rowsOf(session, SESSION)
    return session
  }

  /** Statements under way fail, and so does a connection that is being opened. */
  end(): void {
    this.#is_over = true
    for (const session of this.#open) session.reset()
  }
}

/** Takes the snapshot, on tables that no migration changes until the end of the session (B1, B3). */
async function beginSnapshot(
  session: Session,
  parley: string,
  blobs: BlobStore,
): Promise<{ head: Head; snapshot: string }> {
  const [lock] = await rowsOf<{ taken: boolean }>(
    session,
    sql`select pg_try_advisory_lock_shared(${MIGRATION_LOCK}) as taken`,
  )
  const [found] = await rowsOf<{ migration: string | null; progress: string | null }>(
    session,
    sql`select to_regclass('migration')::text as migration, to_regclass('migration_progress')::text as progress`,
  )
  if (!found!.migration) throw new BackupError('The database has no tables of Parley: there is nothing to back up.')
  const [under_way] = found!.progress ? await rowsOf<object>(session, sql`select from migration_progress limit 1`) : []
  if (!lock!.taken || under_way) {
    throw new BackupError('A migration of the database is under way: make the backup when it has ended.')
  }
  // Locks before the snapshot: a table is not dropped or changed in between.
  const names = (await readTables(session)).map(({ name }) => sql.id(name))
  await rowsOf(
    session,
    sql`begin isolation level repeatable read, read only; lock table ${sql.join(names, ',')} in access share mode`,
  )
  const [row] = await rowsOf<Pick<Head, 'migrations' | 'canary' | 'postgres' | 'snapshot_at'> & { snapshot: string }>(
    session,
    sql`select pg_export_snapshot() as snapshot, split_part(current_setting('server_version'), ' ', 1) as postgres,
       now() as snapshot_at, (select json_agg(name order by id) from migration) as migrations,
       (select sealed from vault_canary) as canary`,
  )
  const { snapshot, snapshot_at, ...rest } = row!
  const tables = await readTables(session)
  const head: Head = {
    format: FORMAT,
    parley,
    ...rest,
    snapshot_at: new Date(snapshot_at).toISOString(),
    tables,
    // Later than the snapshot, so no value in the rows is higher.
    sequences: await readSequences(session),
    sealed: await readSealedKeys(session, tables),
    blob_store: await blobs.identity().catch(() => null),
  }
  return { head, snapshot }
}

async function copyTable(
  session: Session,
  { name, columns }: CopiedTable,
  directory: string,
  writer: ArchiveWriter,
  read: (bytes: number) => void,
): Promise<Totals> {
  const totals: Totals = { rows: 0, bytes: 0 }
  let number = 0
  const query = sql`select ${sql.join(columns.map(sql.id), ',')} from ${sql.id(name)}`
  // One part is compressed and written while the next one is read.
  let writing: Promise<void> = Promise.resolve()
  for await (const { text, rows } of copyOut(session, sql`copy (${query}) to stdout`, PART_BYTES)) {
    totals.rows += rows
    totals.bytes += text.length
    const part = tablePart(directory, ++number)
    await writing
    writing = compress(text, { level: LEVEL }).then((bytes) => writer.part(part, bytes))
    writing.catch(() => {})
    read(text.length)
  }
  await writing
  return totals
}

/** Tables with keys of files. */
function withBlobs(tables: readonly CopiedTable[]): string[] {
  return tables.filter(({ columns }) => columns.includes(BLOB_COLUMN)).map(({ name }) => name)
}

async function blobBytes(session: Session, tables: readonly CopiedTable[]): Promise<number> {
  let bytes = 0
  for (const { name, columns } of tables) {
    if (!columns.includes(BLOB_COLUMN) || !columns.includes('file_size')) continue
    const [row] = await rowsOf<{ bytes: string }>(
      session,
      sql`select coalesce(sum(file_size), 0)::text as bytes from ${sql.id(name)} where ${sql.id(BLOB_COLUMN)} is not null`,
    )
    bytes += Number(row!.bytes)
  }
  return bytes
}

/** Notes each key once, whatever the number of rows that have it. */
async function noteKeys(session: Session, tables: readonly CopiedTable[], keys: KeyList): Promise<void> {
  const each = withBlobs(tables).map(
    (table) => sql`select ${sql.id(BLOB_COLUMN)}::text from ${sql.id(table)} where ${sql.id(BLOB_COLUMN)} is not null`,
  )
  if (each.length === 0) return
  const query = sql`copy (${sql.join(each, ' union ')}) to stdout`
  for await (const { text } of copyOut(session, query, 64 * 1024)) await keys.append(text)
}

/** A file may have been removed since the snapshot, with its row. */
async function copyBlobs(
  blobs: BlobStore,
  keys: KeyList,
  writer: ArchiveWriter,
  read: (bytes: number) => void,
  signal: AbortSignal | undefined,
): Promise<Manifest['blobs']> {
  const totals = { count: 0, bytes: 0, missing: 0 }
  for await (const key of keys.keys()) {
    signal?.throwIfAborted()
    // Another program's column may have the same name.
    const found = isKey(key) ? await blobs.get(key) : undefined
    if (!found) {
      totals.missing++
      continue
    }
    const source = signal ? addAbortSignal(signal, found.stream) : found.stream
    await writer.stream(blobPart(key), found.size, source)
    totals.count++
    totals.bytes += found.size
    read(found.size)
  }
  return totals
}
