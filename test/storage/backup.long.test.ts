/**
 * Archives of a database and its files: made, read, damaged and restored. One file, because all tests compare databases
 * with what their archives restore.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { LEFT_OUT } from '../../storage/backup/catalogue.ts'
import { SEEDED } from '../../storage/backup/empty_database.ts'
import { migrations } from '../../storage/migrations/list.ts'
import {
  BackupError,
  type BlobStore,
  type Database,
  migrate,
  readArchive,
  readBackupFile,
  restoreBackup,
} from '../../storage/mod.ts'
import { startS3, tempDir } from '../support/mod.ts'
import {
  archive,
  contents,
  directory,
  emptyDatabase,
  flipped,
  KEY,
  migrated,
  opened,
  PASSPHRASE,
  prepare,
  store,
} from './backup_world.ts'

t.test('an archive restores every row and every file, and no node of the former cluster', async (t) => {
  const s3 = await startS3(t)
  const from = await store(t, s3.url)
  // Several parts of a table.
  const database = await prepare(t, from, 3000)
  const file = join(tempDir(t), 'a.backup')
  const { result, head } = await archive(database, from, file)
  t.match(result.blobs, { count: 2, bytes: 600_000, missing: 0 })
  t.equal(result.tables.outbox!.rows, 3000)

  const target = await emptyDatabase(t)
  const to = await store(t, directory(t))
  const restored = await restoreBackup(target, to, { open: readBackupFile(file) })
  t.match(restored, { head, manifest: result, settings: { PARLEY_LIMIT_MINUTE: '7' }, known_files: 0, migrated: [] })
  t.strictSame(
    restored.foreign.filter((name) => !name.endsWith('.of_a_later_release')),
    [],
  )
  const [marked] = await target.execute<{ home: string }>('select home from cluster')
  t.equal(marked!.home, 'restored', 'the next start finds a copy')
  await target.execute('update cluster set home = null')
  t.strictSame(await contents(target), await contents(database))
  for (const key of ['short', KEY]) {
    const { stream } = (await to.get(key))!
    t.ok(Buffer.concat(await stream.toArray()).equals(Buffer.alloc(300_000, key)), key)
  }
  const epochs = await target.execute<{ owner: null; epoch: string }>('select owner, epoch from partition')
  t.ok(epochs.length === 8 && epochs.every(({ owner, epoch }) => owner === null && Number(epoch) > 10_000_000_000))
  await t.rejects(
    target.execute(`select lane_fence(1, 1, '{0}', '{1000}')`),
    { code: 'PL002' },
    'nobody of before may write',
  )
  const [drawn] = await target.execute(
    `select nextval('lane_source_seq')::int8 > 10000000 as source, nextval('node_stamp') > 1000000000 as stamp`,
  )
  t.strictSame(drawn, { source: true, stamp: true })
  t.strictSame(
    await definitions(target),
    await definitions(await migrated(t)),
    'keys and triggers are as after a migration',
  )
})

/** Constraints, indexes and triggers, without those of the partitions by day: a day may begin meanwhile. */
async function definitions(database: Database): Promise<unknown[]> {
  return database.execute(`
    select conname as name, conrelid::regclass::text as of, pg_get_constraintdef(oid) as is from pg_constraint
      where connamespace = 'public'::regnamespace and conrelid::regclass::text !~ '_[0-9]{8}$'
    union all select tgname, tgrelid::regclass::text, tgenabled::text || pg_get_triggerdef(oid) from pg_trigger
      where not tgisinternal
    union all select indexname, tablename, indexdef from pg_indexes where schemaname = 'public' and tablename !~ '_[0-9]{8}$'
    order by 2, 1, 3`)
}

t.test('a damaged, cut or wrongly opened archive is refused, and the database stays as it was', async (t) => {
  const blobs = await store(t, directory(t))
  const database = await prepare(t, blobs)
  const [plain, secret] = [join(tempDir(t), 'plain'), join(tempDir(t), 'secret')]
  const { file } = await archive(database, blobs, plain)
  await archive(database, blobs, secret, PASSPHRASE)
  const [bytes, sealed] = [readFileSync(plain), readFileSync(secret)]
  t.match(file, { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') })
  t.notOk(sealed.includes('PARLEY_LIMIT_MINUTE'), 'nothing of it can be read without the passphrase')
  await t.rejects(archive(database, blobs, plain), /is there already: choose another name/)

  const refusals: string[] = []
  for (let at = 1; at < bytes.length; at += Math.floor(bytes.length / 100)) {
    await readArchive(opened(flipped(bytes, at)), undefined).then(
      () => refusals.push(`flipped ${at}`),
      (error) => error instanceof BackupError || refusals.push(`flipped ${at}: ${error.stack}`),
    )
    await readArchive(opened(bytes.subarray(0, at)), undefined).then(
      () => refusals.push(`cut ${at}`),
      (error) => error instanceof BackupError || refusals.push(`cut ${at}: ${error.stack}`),
    )
  }
  t.strictSame(refusals, [], 'every flipped byte and every cut is noticed')

  const target = await emptyDatabase(t)
  const restore = (bytes: Buffer, passphrase?: string) =>
    restoreBackup(target, blobs, { open: opened(bytes), passphrase, shared_files: true })
  const middle = Math.floor(sealed.length / 2)
  const cases: [string, () => Promise<unknown>, RegExp][] = [
    ['wrong passphrase', () => restore(sealed, 'another passphrase'), /^The passphrase is wrong\.$/],
    ['no passphrase', () => restore(sealed), /^The archive is encrypted: its passphrase is missing\.$/],
    [
      'needless passphrase',
      () => restore(bytes, PASSPHRASE),
      /^A passphrase was given, but the archive is not encrypted\.$/,
    ],
    [
      'flipped, encrypted',
      () => restore(flipped(sealed, middle), PASSPHRASE),
      /^The file is damaged: chunk \d+ does not open\.$/,
    ],
    [
      'flipped parameters',
      () => restore(flipped(sealed, 40), PASSPHRASE),
      /^The file is damaged: its first lines do not fit\.$/,
    ],
    [
      'cut, encrypted',
      () => restore(sealed.subarray(0, -300_000), PASSPHRASE),
      /^The file is damaged: it ends too early\.$/,
    ],
    [
      'chunk left out',
      () => restore(withoutLastChunk(sealed), PASSPHRASE),
      /^The file is damaged: it ends too early\.$/,
    ],
    ['flipped', () => restore(flipped(bytes, bytes.length - 3000)), /^The file is damaged: /],
    ['cut', () => restore(bytes.subarray(0, -1)), /^The file is damaged: it ends too early\.$/],
    [
      'longer',
      () => restore(Buffer.concat([bytes, Buffer.alloc(1)])),
      /^The file is damaged: there is something after its end/,
    ],
    [
      'another file',
      () => restore(Buffer.from('PNG')),
      /^The file is not a backup of Parley, or it is damaged at its beginning/,
    ],
  ]
  for (const [name, restored, message] of cases) await t.rejects(restored(), { name: 'BackupError', message }, name)
  t.strictSame(await target.execute(`select relname from pg_class where relnamespace = 'public'::regnamespace`), [])

  t.match(await readArchive(opened(sealed), PASSPHRASE), { settings: { PARLEY_LIMIT_MINUTE: '7' } })
  const { known_files } = await restore(sealed, PASSPHRASE)
  t.equal(known_files, 2, 'files that are in the store already stay')
  await t.rejects(restore(bytes), /^The database is not empty \(.*\): create a new one\.$/)
})

/** The chunks of an encrypted archive without the last one. */
function withoutLastChunk(sealed: Buffer): Buffer {
  let at = 0
  for (let line = 0; line < 3; line++) at = sealed.indexOf(10, at) + 1
  while (sealed.readUInt32BE(at) < 0x8000_0000) at += 4 + sealed.readUInt32BE(at) + 16
  return sealed.subarray(0, at)
}

t.test('a restore that fails leaves nothing, and the next one succeeds', async (t) => {
  const from = await store(t, directory(t))
  const database = await prepare(t, from)
  const file = join(tempDir(t), 'a.backup')
  await archive(database, from, file)
  const open = readBackupFile(file)
  const place = directory(t)
  const to = await store(t, place)
  const target = await emptyDatabase(t)
  let puts = 0
  const put: BlobStore['put'] = async (key, stream) => {
    if (++puts < 2) return to.put(key, stream)
    stream.destroy()
    throw new Error('the store is full')
  }
  const full = new Proxy(to, { get: (store, name) => (name === 'put' ? put : store[name as 'get'].bind(store)) })
  await t.rejects(restoreBackup(target, full, { open }), /the store is full/)
  for (const key of ['short', KEY]) t.equal(await to.get(key), undefined, 'no file is left')
  const left = await contents(target)
  t.strictSame(
    Object.keys(left)
      .filter((name) => left[name]!.length > 0)
      .sort(),
    SEEDED,
  )
  await restoreBackup(target, to, { open })
  await target.execute('update cluster set home = null')
  t.strictSame(await contents(target), await contents(database))
})

t.test('an archive of an older release is migrated to this one', async (t) => {
  const older = migrations.slice(
    0,
    migrations.findIndex(({ name }) => name === '0029_assistants'),
  )
  const source = await emptyDatabase(t)
  await migrate(source, { list: older })
  const company = `insert into company (_id, name) values ('c1', 'Old')`
  await source.execute(company)
  const blobs = await store(t, directory(t))
  const file = join(tempDir(t), 'old.backup')
  const { head } = await archive(source, blobs, file)
  t.strictSame(
    head.migrations,
    older.map(({ name }) => name),
  )
  const target = await emptyDatabase(t)
  const restored = await restoreBackup(target, blobs, { open: readBackupFile(file) })
  t.strictSame(
    restored.migrated,
    migrations.slice(older.length).map(({ name }) => name),
  )
  t.match(await target.execute('select * from company'), [{ _id: 'c1', name: 'Old' }])
  t.equal(restored.unfinished, null)

  const stop = new AbortController()
  const half = await emptyDatabase(t)
  const before_commit = () => stop.abort()
  const stopped = await restoreBackup(half, blobs, { open: readBackupFile(file), signal: stop.signal, before_commit })
  t.match(stopped, { migrated: [], unfinished: /^The rows are restored, but .* \(it was stopped\): the next start/ })
  t.match(await half.execute('select * from company'), [{ _id: 'c1', name: 'Old' }], 'it is not called a failure')
  t.strictSame(await migrate(half), restored.migrated, 'the next start continues')

  const ahead = await migrated(t)
  const refusal = /^The database is empty, but newer than the archive \(0029_assistants, .*\): create a new/
  await t.rejects(restoreBackup(ahead, blobs, { open: readBackupFile(file) }), refusal)
})

t.test('an archive that does not fit is refused before anything is changed', async (t) => {
  const blobs = await store(t, directory(t))
  const database = await prepare(t, blobs)
  const file = join(tempDir(t), 'a.backup')
  await archive(database, blobs, file)
  const open = readBackupFile(file)
  const other = await emptyDatabase(t, 'a secret of somebody else')
  await t.rejects(
    restoreBackup(other, blobs, { open }),
    /of a database with another PARLEY_SECRET: set the one that it was/,
  )
  t.strictSame(await other.execute(`select relname from pg_class where relnamespace = 'public'::regnamespace`), [])
  const foreign = await emptyDatabase(t)
  await foreign.execute('create table theirs (id integer)')
  await t.rejects(restoreBackup(foreign, blobs, { open }), /it has the tables of another program \(theirs\)\.$/)
  const used = await migrated(t)
  await used.execute(`select lease_join('node1', '{}', 1)`)
  await t.rejects(
    restoreBackup(used, blobs, { open }),
    /a node of Parley uses it\. Stop the nodes, and create a new database/,
  )
  const session = await database.session()
  t.teardown(() => session.end())
  await session.query('select pg_advisory_lock(7307264812)')
  await t.rejects(archive(database, blobs, `${file}2`), /^A migration of the database is under way/)
  t.notOk(existsSync(`${file}2`) || existsSync(`${file}2.partial`))
  await database.execute(`insert into migration (name) values ('9999_of_a_later_release')`)
  await session.query('select pg_advisory_unlock_all()')
  await archive(database, blobs, `${file}3`)
  const newer =
    /made by a newer release of Parley \(0\.1\.0, with 9999_of_a_later_release\): restore it with that release\.$/
  await t.rejects(restoreBackup(await emptyDatabase(t), blobs, { open: readBackupFile(`${file}3`) }), newer)
})

t.test('every table is in an archive, or is left out for a reason', async (t) => {
  const database = await migrated(t)
  const tables = await database.execute<{ name: string; some: boolean }>(
    `select relname as name, (xpath('/row/some/text()', query_to_xml(format('select exists (select from %I) as some', relname),
       true, true, '')))[1]::text = 'true' as some
     from pg_class where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace order by 1`,
  )
  const blobs = await store(t, directory(t))
  await database.execute('create table of_a_later_release (id bigint generated always as identity, blob_key text)')
  await database.execute(`insert into of_a_later_release (blob_key) values ('gone')`)
  const { result, head } = await archive(database, blobs, join(tempDir(t), 'a.backup'))
  const copied = Object.keys(result.tables)
  const left_out = Object.keys(LEFT_OUT)
  t.strictSame([...copied, ...left_out].sort(), [...tables.map(({ name }) => name), 'of_a_later_release'].sort())
  t.ok(head.sequences.some(({ name }) => name === 'of_a_later_release_id_seq'))
  t.equal(result.blobs.missing, 1, 'a column blob_key has the keys of files, whatever its table')
  const seeded = tables.filter(({ some }) => some).map(({ name }) => name)
  t.strictSame(seeded, [...SEEDED, 'migration'].sort(), 'tables with rows of migrations are named in SEEDED')
})
