/** Archives that somebody has changed on purpose, and servers and stores that fail at the worst moment. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { BackupError, type BackupHead, type Database, readBackupFile, restoreBackup } from '../../storage/mod.ts'
import { tempDir } from '../support/mod.ts'
import { archive, contents, directory, emptyDatabase, KEY, opened, prepare, store, withHead } from './backup_world.ts'

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
  t.strictSame(await contents(target), await contents(database))
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
