/** Databases, files and archives that the tests of backups share. */
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { ArchiveWriter } from '../../storage/backup/archive_writer.ts'
import { LEFT_OUT } from '../../storage/backup/catalogue.ts'
import { tarEntries } from '../../storage/backup/tar.ts'
import {
  type BackupHead,
  type BlobStore,
  confirmSecret,
  type Database,
  makeBackup,
  migrate,
  openBlobs,
  openDatabase,
  writeBackupFile,
} from '../../storage/mod.ts'
import { emptyDatabaseUrl, type Owner, TEST_SECRET, tempDir, testDatabase } from '../support/mod.ts'
import { storeChannel, storeDelivery, storeMessage, storeSubscription, storeTenant } from './records.ts'

export const KEY = 'a_file_with_a_key_'.padEnd(150, 'x')

export async function store(t: Owner, url: string): Promise<BlobStore> {
  const blobs = await openBlobs(url)
  t.teardown(() => blobs.close())
  return blobs
}

export const directory = (t: Owner) => pathToFileURL(join(tempDir(t), 'blobs')).href

/** An empty database, opened. */
export async function emptyDatabase(t: Owner, secret = TEST_SECRET): Promise<Database> {
  const database = await openDatabase({ url: await emptyDatabaseUrl(t), secret, pool_size: 4 })
  t.teardown(() => database.close())
  return database
}

export async function archive(database: Database, blobs: BlobStore, file: string, passphrase?: string) {
  let head: BackupHead | undefined
  const settings = { PARLEY_LIMIT_MINUTE: '7' }
  const snapshot = (taken: BackupHead) => {
    head = taken
  }
  const written = await writeBackupFile({ to: file, passphrase }, (sink) =>
    makeBackup(database, blobs, { parley: '0.1.0', settings, sink, snapshot }),
  )
  return { ...written, head: head! }
}

/** Every row of every table as text, without what a restore changes on purpose. */
export async function contents(database: Database): Promise<Record<string, string[]>> {
  const tables = await database.execute<{ name: string }>(
    `select relname as name from pg_class where relkind in ('r', 'p') and not relispartition
     and relnamespace = 'public'::regnamespace`,
  )
  const all: Record<string, string[]> = {}
  for (const { name } of tables) {
    if (name in LEFT_OUT || name === 'partition') continue
    const rows = await database.execute<{ row: string }>(
      `select (to_jsonb(t) - 'of_a_later_release')::text as row from "${name}" t order by 1`,
    )
    all[name] = rows.map(({ row }) => row)
  }
  return all
}

/** A database with rows of every kind that COPY could get wrong, and two files in a store. */
export async function prepare(t: Owner, blobs: BlobStore, messages = 10): Promise<Database> {
  const { database } = await testDatabase(t)
  await confirmSecret(database)
  const { project } = await storeTenant(database)
  const channel = await storeChannel(database, project, { name: 'tab\t, \\N, "quoted"\r\nüñ 🙂' })
  const subscription = await storeSubscription(database, project, { events: ['a', '', '{"x"}', 'NULL'] })
  await storeDelivery(database, subscription, { status: 'dead' })
  await storeMessage(database, project, { channel_id: channel._id, message: { type: 'text', body: '\\n\n\t' } })
  await database.execute(`insert into event (id, project_id, type, data, subscription_ids)
    select day_begin('evt', current_date - n) || repeat('0', 16), 'p', 'x', '{"a" : 1}', '{}' from generate_series(0, 1) n`)
  await database.execute(`insert into outbox (partition, source, number, address, message)
    select 0, 1, n, 'project/1', json_build_object('text', repeat('x', 3000)) from generate_series(1, ${messages}) n`)
  await database.execute(`insert into cluster (partitions) values (8)`)
  await database.execute(
    `insert into partition (id, owner, epoch) select n, 'node', 1000 + n from generate_series(0, 7) n`,
  )
  await database.execute(`select nextval('lane_source_seq'), nextval('node_stamp')`)
  for (const key of ['short', KEY]) {
    await blobs.put(key, Readable.from([Buffer.alloc(300_000, key)]))
    await database.execute(
      `insert into media (media_id, company_id, project_id, mime_type, file_size, sha256, blob_key, expires_at)
       values (?, ?, ?, 'text/plain', 300000, 'x', ?, now() + interval '1 day')`,
      [key.slice(0, 20), project.company_id, project._id, key],
    )
  }
  return database
}

export async function migrated(t: Owner): Promise<Database> {
  const database = await emptyDatabase(t)
  await migrate(database)
  return database
}

export const PASSPHRASE = 'correct horse battery'

/** Reads bytes in pieces of an odd size. */
export function opened(bytes: Buffer): () => AsyncIterable<Buffer> {
  return async function* () {
    for (let at = 0; at < bytes.length; at += 4001) yield bytes.subarray(at, at + 4001)
  }
}

export const flipped = (bytes: Buffer, at: number) => {
  const copy = Buffer.from(bytes)
  copy[at]! ^= 0x10
  return copy
}

/** The same archive with other parts, with checksums that fit: as somebody who can write it would make it. */
export async function forged(bytes: Buffer, change: (name: string, part: Buffer) => Buffer): Promise<Buffer> {
  const out: Buffer[] = []
  const writer = new ArchiveWriter(async (piece) => {
    out.push(Buffer.from(piece))
  })
  for await (const { name, body } of tarEntries(opened(bytes)())) {
    const part = Buffer.concat(await Readable.from(body, { objectMode: false }).toArray())
    if (name.endsWith('.sha256')) continue
    if (name === 'manifest.json') await writer.finish(JSON.parse(String(change(name, part))))
    else await writer.part(name, change(name, part))
  }
  return Buffer.concat(out)
}

/** The same archive with another `backup.json`. */
export function withHead(bytes: Buffer, change: (head: BackupHead) => unknown): Promise<Buffer> {
  return forged(bytes, (name, part) => {
    if (name !== 'backup.json') return part
    const head = JSON.parse(String(part))
    return Buffer.from(JSON.stringify(change(head) ?? head))
  })
}
