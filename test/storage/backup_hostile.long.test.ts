/**
 * Archives that somebody has changed on purpose, and servers and stores that fail at the worst moment. One file, because all
 * tests share one database and its archive.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { copyOut } from '../../storage/backup/copy.ts'
import { tarEntries, tarHeader } from '../../storage/backup/tar.ts'
import { rowsOf } from '../../storage/connections/rows_of.ts'
import {
  BackupError,
  type BackupHead,
  type Database,
  makeBackup,
  openVault,
  readArchive,
  readBackupFile,
  restoreBackup,
  sql,
  writeBackupFile,
} from '../../storage/mod.ts'
import { tempDir } from '../support/mod.ts'
import {
  archive,
  contents,
  directory,
  emptyDatabase,
  forged,
  KEY,
  migrated,
  opened,
  PASSPHRASE,
  prepare,
  store,
  withHead,
} from './backup_world.ts'

const blobs = await store(t, directory(t))
const database = await prepare(t, blobs)
const file = join(tempDir(t), 'a.backup')
await archive(database, blobs, file)
const bytes = readFileSync(file)

const SQL = 'create table pwned ()'

t.test('no text of an archive is run as SQL, and what does not fit is a sentence', async (t) => {
  const target = await emptyDatabase(t)
  const to = await store(t, directory(t))
  const table = (head: BackupHead, name: string) => head.tables.find((table) => table.name === name)!
  const part = (head: BackupHead) => table(head, 'event').parts!
  const day = { name: 'event_20200101', bound: "for values from ('evt_1') to ('evt_2')", options: null }
  // biome-ignore lint/suspicious/noExplicitAny: values of any type
  const changes: Record<string, (head: any) => unknown> = {
    'value of a sequence': (head) => {
      head.sequences[0].value = `1, true); ${SQL}; select (1`
    },
    'flag of a sequence': (head) => {
      head.sequences[0].is_called = `true); ${SQL}; select (1`
    },
    'name of a part': (head) => void part(head).push({ ...day, name: 'project' }),
    'day of a part': (head) => void part(head).push({ ...day, name: 'event_20201301' }),
    'no tables': (head) => {
      head.tables = null
    },
    'a table twice': (head) => void head.tables.push(table(head, 'project')),
    'a column twice': (head) => void table(head, 'project').columns.push('_id'),
    'a column without a name': (head) => void table(head, 'project').columns.push(''),
    'another canary': (head) => {
      head.canary = 7
    },
    'a moment for the terminal': (head) => {
      head.snapshot_at = '\u001b[2J'
    },
    'a number of sequences': (head) => {
      head.sequences = 1
    },
    'no object': () => [],
    'another format': (head) => {
      head.format = 2
    },
  }
  for (const [name, change] of Object.entries(changes)) {
    const open = opened(await withHead(bytes, change))
    const error = await restoreBackup(target, to, { open }).catch((error) => error)
    t.ok(error instanceof BackupError, `${name}: ${error.stack ?? 'restored'}`)
    t.match(error.message, /^[^\p{Cc}]+\.$/u, name)
    t.strictSame(await target.execute(`select to_regclass('pwned') as pwned`), [{ pwned: null }], name)
  }
  const column = `x" text; ${SQL}; --`
  const open = opened(
    await withHead(bytes, (head) => {
      const { columns } = table(head, 'project')
      columns[columns.indexOf('of_a_later_release')] = column
      part(head).push({ ...day, bound: `default; ${SQL}`, options: [`fillfactor=80); ${SQL}; --`] })
    }),
  )
  const { foreign } = await restoreBackup(target, to, { open })
  t.ok(foreign.includes(`project.${column}`), 'a column that is not ours is left out')
  t.strictSame(await target.execute(`select to_regclass('pwned') as pwned`), [{ pwned: null }])
  await target.execute('update cluster set home = null')
  t.strictSame(await contents(target), await contents(database))
})

t.test('a random change of an archive is a sentence, and nothing is written', async (t) => {
  const sealed = join(tempDir(t), 'sealed')
  await archive(database, blobs, sealed, PASSPHRASE)
  const archives = [
    { whole: bytes, passphrase: undefined },
    { whole: readFileSync(sealed), passphrase: PASSPHRASE },
  ]
  const target = await emptyDatabase(t)
  const place = directory(t)
  const to = await store(t, place)
  const at = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  const changes = {
    flipped: (whole: Buffer, one: number) => {
      const copy = Buffer.from(whole)
      copy[one >> 3]! ^= 1 << (one & 7)
      return copy
    },
    cut: (whole: Buffer, one: number) => whole.subarray(0, one >> 3),
    'without a piece': (whole: Buffer, one: number, other: number) =>
      Buffer.concat([whole.subarray(0, Math.min(one, other) >> 3), whole.subarray((Math.max(one, other) >> 3) + 1)]),
    'a piece twice': (whole: Buffer, one: number, other: number) =>
      Buffer.concat([whole.subarray(0, (Math.max(one, other) >> 3) + 1), whole.subarray(Math.min(one, other) >> 3)]),
  }
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...archives),
      fc.constantFrom(...Object.values(changes)),
      at,
      at,
      async ({ whole, passphrase }, change, one, other) => {
        const bits = whole.length * 8
        const open = opened(change(whole, Math.floor(one * bits), Math.floor(other * bits)))
        const error = await restoreBackup(target, to, { open, passphrase }).catch((error) => error)
        return error instanceof BackupError && /^[^\p{Cc}]+\.$/u.test(error.message)
      },
    ),
    { numRuns: 150 },
  )
  t.strictSame(await target.execute(`select relname from pg_class where relnamespace = 'public'::regnamespace`), [])
  t.notOk(existsSync(fileURLToPath(place)), 'the store of files was not even created')
})

t.test('an encrypted archive with other parameters is refused with a sentence', async (t) => {
  const known = { kdf: 'scrypt', N: 1024, r: 8, p: 1, salt: 'AAAA', cipher: 'aes-256-gcm' }
  const lines = [
    '',
    'null',
    '[]',
    '"x"',
    '{}',
    { ...known, N: 1000 },
    { ...known, N: 'x' },
    { ...known, salt: 7 },
    known,
  ]
  for (const line of lines) {
    const head = `parley-encrypted-backup\n${typeof line === 'string' ? line : JSON.stringify(line)}\n`
    const digest = createHash('sha256').update(head).digest('hex')
    for (const proof of ['', ` ${'0'.repeat(64)}`, ` ${'é'.repeat(64)}`]) {
      const forgery = Buffer.from(`${head}${digest}${proof}\n${'x'.repeat(100)}`)
      await t.rejects(readArchive(opened(forgery), PASSPHRASE), BackupError, head + proof)
    }
  }
})

t.test('an archive with values of a key that PARLEY_SECRET lacks is refused', async (t) => {
  const source = await prepare(t, blobs)
  const [known] = source.vault.key_ids
  const [{ id }] = (await source.execute('select id from subscription')) as [{ id: string }]
  const third = openVault('a secret that nobody has any more')
  const lost = third.key_ids[0]!
  await source.execute('update subscription set headers = ?, secret = ?', [
    third.seal(id, 'headers', '{}'),
    source.vault.seal(id, 'secret', 'x').replace(/:\w+$/, ''),
  ])
  const path = join(tempDir(t), 'a')
  const { head } = await archive(source, blobs, path)
  t.match(
    head.sealed!.toSorted((one, other) => String(one.id).localeCompare(String(other.id))),
    [
      { id: known, values: 1, samples: [] },
      { id: lost, values: 1, samples: [] },
      { id: null, values: 1, samples: [{ record_id: id, name: 'secret' }] },
    ].sort((one, other) => String(one.id).localeCompare(String(other.id))),
  )
  const target = await emptyDatabase(t)
  const to = await store(t, directory(t))
  const open = readBackupFile(path)
  const message = `1 of the encrypted values of the archive need the key ${lost}, which PARLEY_SECRET does not have (it has ${known}): add`
  const refused = await restoreBackup(target, to, { open }).catch((error) => error)
  t.ok(refused.message.startsWith(message), refused.message)
  const forgery = await withHead(readFileSync(path), ({ sealed }) => {
    const { samples } = sealed!.find(({ id }) => id === null)!
    samples[0]!.sealed = third.seal(id, 'secret', 'x').replace(/:\w+$/, '')
  })
  const two = await restoreBackup(target, to, { open: opened(forgery) }).catch((error) => error)
  t.match(two.message, /^2 of the encrypted values of the archive need the keys .*of a former release/)
  t.match(await restoreBackup(target, to, { open, missing_keys: true }), { unfinished: null })
})

type Loss = 'before' | 'after' | 'for good'

/** The database, with a connection that is lost before or after the server has committed. */
function losing(target: Database, loss: Loss): Database {
  let is_gone = false
  const session = async () => {
    if (is_gone) throw new Error('connect ECONNREFUSED')
    const session = await target.session()
    const query = session.query.bind(session)
    session.query = async (sql) => {
      if (typeof sql !== 'string' || !/(^|;\s*)commit$/.test(sql)) return query(sql)
      if (loss === 'before') session.reset()
      else await query(sql)
      is_gone = loss === 'for good'
      session.reset()
      throw new Error('Connection terminated unexpectedly')
    }
    return session
  }
  return new Proxy(target, { get: (target, name) => (name === 'session' ? session : Reflect.get(target, name)) })
}

t.test('a lost answer of the commit is looked up', async (t) => {
  const restore = async (loss: Loss) => {
    const target = await emptyDatabase(t)
    const to = await store(t, directory(t))
    const kept: string[] = []
    const restored = await restoreBackup(losing(target, loss), to, {
      open: readBackupFile(file),
      patience_ms: 0,
      before_commit: ({ PARLEY_LIMIT_MINUTE }) => kept.push(PARLEY_LIMIT_MINUTE!),
      not_committed: () => kept.pop(),
    }).catch((error: Error) => error)
    const rows = await target.execute('select 1 from project')
    const there = []
    for (const key of ['short', KEY]) {
      const found = await to.get(key)
      found?.stream.destroy()
      if (found) there.push(key)
    }
    return { restored, rows: rows.length, files: there.length, kept }
  }
  t.match(await restore('after'), { restored: { known_files: 0 }, rows: 1, files: 2, kept: ['7'] })
  t.match(await restore('before'), { restored: Error, rows: 0, files: 0, kept: [] })
  t.match(await restore('for good'), {
    restored: { name: 'BackupError', message: /it is not known whether the rows are stored/ },
    rows: 1,
    files: 2,
    kept: ['7'],
  })
})

t.test('the store of another installation is refused, unless it is shared on purpose', async (t) => {
  const target = await emptyDatabase(t)
  const files = () =>
    Promise.all(['short', KEY].map(async (key) => (await blobs.get(key))?.stream.destroy() !== undefined))
  const open = readBackupFile(file)
  await t.rejects(restoreBackup(target, blobs, { open }), {
    name: 'BackupError',
    message: /^PARLEY_BLOB_URL leads to the store of files that the archive was made from \(it has the file short\)\./,
  })
  t.strictSame(await target.execute(`select relname from pg_class where relnamespace = 'public'::regnamespace`), [])
  // Files that came later are removed by nobody; the store is still the same one.
  const other = new Proxy(blobs, {
    get: (store, name) => (name === 'get' ? async () => undefined : store[name as 'put'].bind(store)),
  })
  await t.rejects(restoreBackup(target, other, { open }), /made from \(its id is file:\w+\)\./)
  const failing = () => {
    throw new Error('not now')
  }
  await t.rejects(restoreBackup(target, blobs, { open, shared_files: true, before_commit: failing }), /not now/)
  t.strictSame(await files(), [true, true], 'a failure removes no file that was there')
  t.match(await restoreBackup(target, blobs, { open, shared_files: true }), { known_files: 2 })
})

/** The database, with a hook before each statement of a session. */
function hooked(target: Database, hook: (sql: string) => unknown): Database {
  const session = async () => {
    const session = await target.session()
    const query = session.query.bind(session)
    session.query = async (sql) => {
      if (typeof sql !== 'string') return query(sql)
      await hook(sql)
      return query(sql)
    }
    return session
  }
  return new Proxy(target, { get: (target, name) => (name === 'session' ? session : Reflect.get(target, name)) })
}

t.test('a node cannot migrate between the migration of a restore and its rows', async (t) => {
  const target = await emptyDatabase(t)
  const to = await store(t, directory(t))
  const open = readBackupFile(file)
  const migrating = hooked(target, async (sql) => {
    if (!sql.startsWith('lock table')) return
    await target.execute(`insert into migration (name) values ('9999_of_a_later_release')`)
  })
  const message =
    /^A node migrates the database meanwhile \(9999_of_a_later_release\): stop the nodes, and create a new/
  await t.rejects(restoreBackup(migrating, to, { open }), { name: 'BackupError', message })
  await target.execute(`delete from migration where name like '9999%'`)
  let taken: unknown
  const looking = hooked(target, async (sql) => {
    if (sql === 'commit') taken = await target.execute('select pg_try_advisory_lock(7307264812) as taken')
  })
  await restoreBackup(looking, to, { open })
  t.strictSame(taken, [{ taken: false }], 'the lock of migrations is held until the commit')
})

t.test('Ctrl-C ends each wait at once, and nothing is left', async (t) => {
  const target = await migrated(t)
  const holder = await target.session()
  t.teardown(() => holder.end())
  const to = await store(t, directory(t))
  const open = readBackupFile(file)
  const stopped = { name: 'AbortError' }
  const interrupted = (from: Database, at: RegExp) => {
    const stop = new AbortController()
    const during = hooked(from, (sql) => {
      if (at.test(sql)) setImmediate(() => stop.abort())
    })
    return [during, stop.signal] as const
  }
  const restore = ([during, signal]: readonly [Database, AbortSignal]) => restoreBackup(during, to, { open, signal })
  await holder.query('select pg_advisory_lock(7307264812)')
  await t.rejects(restore(interrupted(target, /advisory_lock_shared/)), stopped, 'another node migrates')
  await holder.query('select pg_advisory_unlock_all()')
  const idle = 'set idle_in_transaction_session_timeout = 0'
  await holder.query(`${idle}; begin; lock table project in access share mode`)
  await t.rejects(restore(interrupted(target, /^lock table/)), stopped, 'a table is in use')
  await holder.query('rollback')

  const busy = await database.session()
  t.teardown(() => busy.end())
  await busy.query(`${idle}; begin; lock table project in access exclusive mode`)
  const backup = (from: Database, to: string | Writable, signal: AbortSignal) =>
    writeBackupFile({ to, passphrase: PASSPHRASE, signal }, (sink) =>
      makeBackup(from, blobs, { parley: '0.1.0', settings: {}, sink, signal }),
    )
  const place = tempDir(t)
  const [during, signal] = interrupted(database, /lock table/)
  await t.rejects(backup(during, join(place, 'a'), signal), stopped, 'a table is being changed')
  await busy.query('rollback')
  const stop = new AbortController()
  const full = new Writable({ highWaterMark: 1, write: () => setImmediate(() => stop.abort()) })
  await t.rejects(backup(database, full, stop.signal), stopped, 'a reader that takes nothing')
  t.strictSame(readdirSync(place), [])
})

t.test('a backup that fails early, and two with one name', async (t) => {
  const place = tempDir(t)
  const to = join(place, 'a.backup')
  const early = async () => {
    throw new BackupError('It fails early.')
  }
  for (const passphrase of [undefined, PASSPHRASE]) {
    await t.rejects(writeBackupFile({ to, passphrase }, early), { message: 'It fails early.' })
  }
  t.strictSame(readdirSync(place), [])
  const both = await Promise.allSettled([archive(database, blobs, to), archive(database, blobs, to)])
  t.match(
    both.sort((one) => (one.status === 'fulfilled' ? -1 : 1)),
    [{ status: 'fulfilled' }, { status: 'rejected', reason: { name: 'BackupError', message: /is there already/ } }],
  )
  t.strictSame(readdirSync(place), ['a.backup'])
  await readArchive(readBackupFile(to), undefined)
})

t.test('names that need care: of tables, of extensions, of keys, and sizes beyond eight GiB', async (t) => {
  const source = await migrated(t)
  const names = ['größe', '表'.repeat(21), '..', 'a/b', '__proto__', 'x" ()']
  for (const name of names) {
    await source.execute(`create table "${name.replaceAll('"', '""')}" as select 'a/../b'::text as blob_key`)
  }
  const path = join(tempDir(t), 'a')
  const { result } = await archive(source, blobs, path)
  t.equal(result.blobs.missing, 1, 'a key that is not ours, once')
  for await (const { name } of tarEntries(readBackupFile(path)())) t.match(name, /^[\w./%-]+$/)
  const target = await emptyDatabase(t)
  // As PostGIS has it.
  await target.execute('create table spatial_ref_sys (srid integer)')
  await target.execute('insert into spatial_ref_sys values (1)')
  await target.execute('alter extension plpgsql add table spatial_ref_sys')
  const to = await store(t, directory(t))
  const { foreign, manifest } = await restoreBackup(target, to, { open: readBackupFile(path) })
  t.strictSame(foreign.sort(), [...names].sort())
  t.ok(names.every((name) => Object.getOwnPropertyDescriptor(manifest.tables, name)?.value.rows === 1))

  const size = 9 * 1024 ** 3
  const entries = tarEntries(Readable.from([tarHeader('blobs/large', size)]))
  t.match(await entries.next(), { value: { name: 'blobs/large', size } })
})

t.test('a connection goes on after a copy whose last row fills a chunk', async (t) => {
  const session = await database.session()
  t.teardown(() => session.reset())
  const chunks = []
  for await (const chunk of copyOut(session, sql`copy (select 'x') to stdout`, 1)) chunks.push(chunk)
  t.match(chunks, [{ rows: 1 }])
  t.strictSame(await rowsOf(session, sql`select 1 as n`), [{ n: 1 }])
})

const MIB = 1024 * 1024
/** Far below what the rows take, and above what the parts under way take. */
const MAX_LIVE = 64 * MIB

/**
 * Starts to measure what the work holds in memory, garbage not counted. Returns the maximum so far. Garbage is collected
 * only when it makes a difference: as long as the whole is below the maximum, what is held is too.
 */
function liveMemory(t: Test): () => number {
  setFlagsFromString('--expose-gc')
  const gc: () => void = runInNewContext('gc')
  const whole = () => {
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  gc()
  const before = whole()
  let most = 0
  const look = () => {
    if (whole() - before >= MAX_LIVE) gc()
    most = Math.max(most, whole() - before)
  }
  const timer = setInterval(look, 50)
  t.teardown(() => clearInterval(timer))
  return () => {
    look()
    return most
  }
}

t.test('memory does not depend on the rows, nor on the size of a part', async (t) => {
  const count = 96
  const text = (number: number, row: string[], columns: string[]) =>
    row
      .with(columns.indexOf('number'), String(number))
      .with(columns.indexOf('message'), `"${'x'.repeat(MIB)}"`)
      .join('\t')
  let columns: string[] = []
  const totals = { rows: count, bytes: 0 }
  const forgery = await forged(bytes, (name, part) => {
    if (name === 'backup.json') {
      columns = JSON.parse(String(part)).tables.find((table: { name: string }) => table.name === 'outbox').columns
    }
    if (name === 'manifest.json') {
      const manifest = JSON.parse(String(part))
      manifest.tables.outbox = totals
      return Buffer.from(JSON.stringify(manifest))
    }
    if (name !== 'tables/outbox/000001.copy.gz') return part
    const row = String(gunzipSync(part)).split('\n')[0]!.split('\t')
    const gzip = []
    for (let number = 1; number <= count; number++) {
      const line = `${text(number, row, columns)}\n`
      totals.bytes += line.length
      gzip.push(gzipSync(line, { level: 1 }))
    }
    return Buffer.concat(gzip)
  })
  t.ok(totals.bytes >= 1.5 * MAX_LIVE)
  const target = await emptyDatabase(t)
  const to = await store(t, directory(t))
  const most = liveMemory(t)
  await restoreBackup(target, to, { open: opened(forgery) })
  const { result } = await archive(target, to, join(tempDir(t), 'again'))
  t.equal(result.tables.outbox!.rows, count)
  t.ok(most() < MAX_LIVE, `at most ${Math.round(most() / MIB)} of ${Math.round(totals.bytes / MIB)} MiB`)
})
