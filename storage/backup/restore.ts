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
 */
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { BlobStore } from '../blobs/blob_store.ts'
import type { Database } from '../database.ts'
import { migrate } from '../migrate.ts'
import { migrations } from '../migrations/list.ts'
import { rowsOf } from '../rows_of.ts'
import type { Session } from '../session.ts'
import { BackupError } from './backup_error.ts'
import { ident } from './catalogue.ts'
import { copyIn } from './copy.ts'
import { mustBeEmpty } from './empty_database.ts'
import type { Head, Manifest, Settings } from './format.ts'
import { readArchive } from './read_archive.ts'
import { SESSION } from './session_settings.ts'
import { Target } from './target.ts'

export type RestoreOptions = {
  /** Opens the file from its beginning; it is read twice. */
  open: () => AsyncIterable<Buffer>
  passphrase?: string | undefined
  /** Called with the beginning of the archive, before anything is changed. Throws to refuse it. */
  accept?: (head: Head, settings: Settings) => void
  signal?: AbortSignal
  /** Called when the whole archive has proved to be intact. */
  checked?: () => void
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
}

/**
 * @throws {BackupError} when the archive cannot be read, does not fit, or the database is not empty; nothing is changed
 * then, except that an empty database may have been migrated
 */
export async function restoreBackup(database: Database, blobs: BlobStore, options: RestoreOptions): Promise<Restored> {
  const { open, passphrase, accept, signal } = options
  const guarded = () => interruptible(open(), signal)
  await readArchive(guarded, passphrase, {
    async head(head, settings) {
      accept?.(head, settings)
      mustBeKnown(head)
      mustOpen(database, head)
      await mustBeEmpty(database, head)
    },
  })
  options.checked?.()
  const directory = await mkdtemp(join(tmpdir(), 'parley-restore-'))
  const session = await database.session()
  const stored = new StoredBlobs(blobs, join(directory, 'keys'))
  let target: Target | undefined
  let committed = false
  try {
    await rowsOf(session, SESSION)
    const read = await readArchive(guarded, passphrase, {
      async head(head) {
        const list = migrations.filter(({ name }) => head.migrations.includes(name))
        await migrate(database, { list, ...(signal && { signal }) })
        target = await Target.begin(session, head)
      },
      rows: (table, text) => copyRows(session, target!, table, text),
      blob: (key, size, bytes) => stored.put(key, size, bytes),
    })
    await target!.commit()
    committed = true
    await rowsOf(session, 'analyze')
    const migrated = await migrate(database)
    return { ...read, known_files: stored.known, foreign: target!.foreign, migrated }
  } finally {
    session.reset()
    if (!committed) await stored.remove()
    await stored.close()
    await rm(directory, { recursive: true, force: true })
  }
}

async function copyRows(session: Session, target: Target, table: string, text: Buffer): Promise<void> {
  const columns = target.columnsOf(table)
  if (!columns) return
  await copyIn(session, `copy ${ident(table)} (${columns.map(ident).join()}) from stdin`, text)
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

/** The files that a restore has stored, so that a failure removes them again. */
class StoredBlobs {
  readonly #blobs: BlobStore
  readonly #path: string
  readonly #list
  known = 0

  constructor(blobs: BlobStore, path: string) {
    this.#blobs = blobs
    this.#path = path
    this.#list = createWriteStream(path, { mode: 0o600 })
  }

  /** A blob is whole or not there, and its key is never given to another one: one that is there stays. */
  async put(key: string, size: number, bytes: AsyncGenerator<Buffer>): Promise<void> {
    const there = await this.#blobs.get(key)
    there?.stream.destroy()
    if (there?.size === size) {
      this.known++
      return
    }
    this.#list.write(`${key}\n`)
    await this.#blobs.put(key, Readable.from(bytes, { objectMode: false }))
  }

  async remove(): Promise<void> {
    await this.close()
    for await (const key of createInterface({ input: createReadStream(this.#path) })) await this.#blobs.remove(key)
  }

  async close(): Promise<void> {
    if (this.#list.writableEnded) return
    this.#list.end()
    await finished(this.#list)
  }
}
