/**
 * Restores an archive into an empty database and a store of files.
 *
 *  R1 All rows are stored in one transaction, after every byte of the archive was checked: the database has everything or
 *  nothing of it.
 *  R2 The database is migrated to the release of the archive, filled by the names of the columns, then migrated to this
 *  release: migrations change the rows as in an upgrade.
 *  R3 A node that starts meanwhile cannot use the tables before all rows are stored.
 *  R4 The restored cluster continues as after a crash of all its nodes at the moment of the snapshot. No node of the former
 *  cluster can write: no lease and no lane of it is there, and every partition has an epoch that it never had.
 *  R5 The first node that starts makes it a cluster of its own, which is quiet (`cluster/cluster_row.ts`).
 */
import type { BlobStore } from '../blobs/blob_store.ts'
import { MARK_RESTORED } from '../cluster/cluster_row.ts'
import { rowsOf } from '../connections/rows_of.ts'
import type { Session } from '../connections/session.ts'
import type { Database } from '../database/database.ts'
import { migrate } from '../migrating/migrate.ts'
import { migrations } from '../migrations/list.ts'
import { sql } from '../sql/sql.ts'
import { BackupError, reasonOf } from './backup_error.ts'
import { commitExactly, OutcomeUnknown } from './commit.ts'
import { mustBeEmpty } from './empty_database.ts'
import type { Head, Manifest, Settings } from './format.ts'
import { readArchive } from './read_archive.ts'
import { RestoredBlobs, sharedStore, sizeOf } from './restored_blobs.ts'
import { mustHaveKeys } from './sealed_keys.ts'
import { SESSION } from './session_settings.ts'
import { Target } from './target.ts'

/** How long to ask for the outcome of a commit whose answer was lost. */
const PATIENCE_MS = 60_000
/** Files of the archive that are looked for in the store before anything is changed. */
const PROBED = 20

export type RestoreOptions = {
  /** Opens the file from its beginning; it is read twice. */
  open: () => AsyncIterable<Buffer>
  passphrase?: string | undefined
  /** Called with the beginning of the archive, before anything is changed. Throws to refuse it. */
  accept?: (head: Head, settings: Settings) => void
  /** Allows the store of files that the archive was made from. Default: a BackupError. */
  shared_files?: boolean | undefined
  /** Restores values whose key `PARLEY_SECRET` does not have. Default: a BackupError. */
  missing_keys?: boolean | undefined
  /** Stops the restore, at any time before the commit. */
  signal?: AbortSignal | undefined
  /** Called when the whole archive has proved to be intact. */
  checked?: () => void
  /** Called directly before the commit: for what must not be lost when this process ends after it. */
  before_commit?: (settings: Settings) => void
  /** Undoes `before_commit`. Called only when it is certain that nothing was committed. */
  not_committed?: () => void
  /** Default 60,000. */
  patience_ms?: number
}

export type Restored = {
  head: Head
  settings: Settings
  manifest: Manifest
  /** Files that were in the store already. */
  known_files: number
  /** Tables, and columns as `table.column`, that are not Parley's: their contents are not restored. */
  foreign: string[]
  /** Migrations that ran after the rows were stored. */
  migrated: string[]
  /** A sentence about the migration to this release, when it did not end; null when it did. */
  unfinished: string | null
}

/**
 * Resolves once the rows are committed, whatever happens afterwards.
 *
 * @throws {BackupError} when the archive cannot be read, does not fit, or the database is not empty; nothing is changed
 * then, except that an empty database may have been migrated
 * @throws {OutcomeUnknown} when the database cannot be asked whether it has committed; nothing is undone then
 */
export async function restoreBackup(database: Database, blobs: BlobStore, options: RestoreOptions): Promise<Restored> {
  const { signal } = options
  await check(database, blobs, options)
  options.checked?.()
  const filled = await fill(database, blobs, options)
  // The planner's figures; PostgreSQL gathers them by itself later.
  await database.execute(sql`analyze`).catch(() => {})
  try {
    const migrated = await migrate(database, { ...(signal && { signal }) })
    // An archive of the time before has no place for it until now.
    if (migrated.includes('0061_cluster_identity')) await database.execute(MARK_RESTORED)
    return { ...filled, migrated, unfinished: null }
  } catch (error) {
    const reason = signal?.aborted ? 'it was stopped' : reasonOf(error)
    const unfinished = `The rows are restored, but their migration to this release has not ended (${reason}): the next start of a node, or \`parley migrate\`, continues it.`
    return { ...filled, migrated: [], unfinished }
  }
}

/** Reads the whole archive, and compares it with the database and the store, without changing anything. */
async function check(database: Database, blobs: BlobStore, options: RestoreOptions): Promise<void> {
  const { passphrase, accept, shared_files = false, signal } = options
  const found: string[] = []
  let probed = 0
  const read = await readArchive(() => interruptible(options.open(), signal), passphrase, {
    async head(head, settings) {
      accept?.(head, settings)
      mustBeKnown(head)
      mustOpen(database, head)
      if (!options.missing_keys) mustHaveKeys(database, head.sealed)
      await mustBeEmpty(database, head)
    },
    async blob(key) {
      if (shared_files || probed++ >= PROBED) return
      if ((await sizeOf(blobs, key)) !== undefined) found.push(key)
    },
  })
  const { blob_store } = read.head
  if (shared_files || read.manifest.blobs.count === 0) return
  if (found.length > 0) throw new BackupError(sharedStore(`it has the file ${found[0]}`))
  if (!blob_store) return
  const identity = await blobs.identity().catch(() => undefined)
  if (identity === blob_store) throw new BackupError(sharedStore(`its id is ${identity}`))
}

async function fill(
  database: Database,
  blobs: BlobStore,
  options: RestoreOptions,
): Promise<Omit<Restored, 'migrated' | 'unfinished'>> {
  const { passphrase, shared_files = false, signal, patience_ms = PATIENCE_MS } = options
  const files = await RestoredBlobs.open(blobs, shared_files, signal)
  const session = await database.session().catch(async (error) => {
    await files.close()
    throw error
  })
  let is_prepared = false
  const stop = () => session.reset()
  signal?.addEventListener('abort', stop)
  try {
    await rowsOf(session, SESSION)
    let target: Target | undefined
    const read = await readArchive(() => interruptible(options.open(), signal), passphrase, {
      async head(head) {
        const list = migrations.filter(({ name }) => head.migrations.includes(name))
        await migrate(database, { list, ...(signal && { signal }) })
        target = await Target.begin(session, head, signal)
      },
      rows: (table, text) => target!.store(table, text),
      blob: (key, size, bytes) => files.put(key, size, bytes),
    })
    await target!.complete()
    await markRestored(session)
    signal?.throwIfAborted()
    // From here on it ends by itself: a commit cannot be stopped half-way.
    signal?.removeEventListener('abort', stop)
    is_prepared = true
    options.before_commit?.(read.settings)
    await commitExactly(database, session, patience_ms)
    return { ...read, known_files: files.known, foreign: target!.foreign }
  } catch (error) {
    if (error instanceof OutcomeUnknown) throw error
    session.reset()
    if (is_prepared) options.not_committed?.()
    const left = await files.undo()
    // The reason of the abort, not the error that it caused in a statement.
    const reason = signal?.aborted ? signal.reason : error
    if (left === 0) throw reason
    throw new BackupError(
      `${reasonOf(reason)}. Nothing is restored, but ${left} files could not be removed from the store of files again.`,
      { cause: reason },
    )
  } finally {
    signal?.removeEventListener('abort', stop)
    session.reset()
    await files.close()
  }
}

/** R5 */
async function markRestored(session: Session): Promise<void> {
  const [found] = await rowsOf<{ count: number }>(
    session,
    sql`select count(*)::int as count from information_schema.columns
     where table_schema = current_schema() and table_name = 'cluster' and column_name = 'home'`,
  )
  if (found!.count > 0) await rowsOf(session, MARK_RESTORED)
}

async function* interruptible(source: AsyncIterable<Buffer>, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  for await (const piece of source) {
    signal?.throwIfAborted()
    yield piece
  }
}

function mustBeKnown({ migrations: applied, parley }: Head): void {
  const known = new Set(migrations.map(({ name }) => name))
  const newer = applied.filter((name) => !known.has(name))
  if (newer.length === 0) return
  throw new BackupError(
    `The archive was made by a newer release of Parley (${parley}, with ${newer.join(', ')}): restore it with that release.`,
  )
}

/** A database whose values do not open would be of no use. */
function mustOpen({ vault }: Database, { canary }: Head): void {
  if (canary === null) return
  try {
    vault.open('vault_canary', 'sealed', canary)
  } catch (error) {
    throw new BackupError(
      `The archive is of a database with another PARLEY_SECRET: set the one that it was made with (${(error as Error).message}).`,
    )
  }
}
