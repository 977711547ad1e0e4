/** `parley backup` and `parley restore`, beside a development start and into new places. */
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readDemo } from '../../http/app/demo/demo_file.ts'
import { startParley } from '../../http/app/parley.ts'
import { readConfig } from '../../http/app/settings/mod.ts'
import { silentLog } from '../../runtime/mod.ts'
import { emptyDatabaseUrl, freePort, plainQuery, tempDir } from '../support/mod.ts'
import { run, runOnTerminal, start as startCommand } from './command.ts'

const directory = tempDir(t)
const from = join(directory, 'from')
const archive = join(directory, 'a.backup')
const passphrase = join(directory, 'passphrase')
writeFileSync(passphrase, 'correct horse battery\nnot this line\n')
const start = async (PARLEY_DATA_DIR: string) =>
  startParley(readConfig({ PARLEY_DATA_DIR, PARLEY_PORT: String(await freePort()) }), { log: silentLog })
const parley = await start(from)
t.teardown(() => parley.stop())
const demo = readDemo(from)!
const keys = (data_dir: string) => JSON.parse(readFileSync(join(data_dir, 'keys.json'), 'utf8'))
const env = { PARLEY_DATA_DIR: from, PARLEY_LIMIT_MINUTE: '70' }
const secret = ['--passphrase-file', passphrase]

t.test('a running development start is backed up, and the archive describes itself', async (t) => {
  const made = await run(['backup', archive, ...secret], env)
  t.match(made, {
    code: 0,
    out: /^\d+ rows of \d+ tables and 0 files, as of \d{4}-.*Z\.\n[\d.]+ [KM]iB, SHA-256 \w{64}\n$/,
  })
  t.match(made.err, /^[█░]+ \d+ of \d+ MiB \(\d+ %\)\n/, 'progress')
  t.equal(statSync(archive).mode & 0o777, 0o600)
  t.match(await run(['backup', 'verify', archive, ...secret]), {
    code: 0,
    out: /^The archive is whole: \d+ rows and 0 files/,
  })
  const shown = await run(['backup', 'show', archive, ...secret])
  t.match(shown.out, /^As of \d{4}-.*, by Parley 0\.1\.0 with PostgreSQL \d+\.\d+, up to \d{4}_\w+\.\n/)
  t.match(shown.out, /^channel +8 +/m)
  const { out } = await run(['backup', 'show', archive, '--settings', ...secret])
  t.same(out.trim().split('\n').sort(), [
    'PARLEY_LIMIT_MINUTE=70',
    `PARLEY_OPERATOR_KEY=${keys(from).operator_key}`,
    `PARLEY_SECRET=${keys(from).secret}`,
  ])
  const plain = join(directory, 'plain.backup')
  const open = await run(['backup', plain, '--json'], env)
  t.match(JSON.parse(open.out), { file: plain, is_encrypted: false, missing_files: 0, bytes: statSync(plain).size })
  t.match(open.err, /\nThe archive is not encrypted, and it does not have PARLEY_SECRET: keep that apart from it\.\n$/)
  t.equal((await run(['backup', 'show', plain, '--settings'])).out, 'PARLEY_LIMIT_MINUTE=70\n')
  t.match(await run(['backup', archive], env), { code: 1, err: /a\.backup is there already: choose another name/ })
})

t.test('what cannot be written or read is a failure with a sentence', async (t) => {
  const { child, end } = startCommand(t, ['backup', '-'], { env })
  child.stdout!.destroy()
  const closed = await end()
  t.equal(closed.code, 1, 'not a success, although the reader has closed the pipe itself')
  t.match(closed.err, /\nStandard output was closed before the archive was complete\.\n$/)
  t.match(await run(['backup', 'verify', directory]), {
    code: 1,
    err: `${directory} cannot be used (it is a directory).\n`,
  })
  const nowhere = join(directory, 'none', 'a.backup')
  t.match(await run(['backup', nowhere], env), {
    code: 1,
    err: /none\/a\.backup cannot be used \(there is no such file or directory\)\.\n$/,
  })
  t.match(await run(['backup', ''], env), { code: 2, err: 'The name of the archive is empty.\n' })
})

t.test('a start with a new data directory continues from the archive', async (t) => {
  const PARLEY_DATA_DIR = join(directory, 'to')
  const restored = await run(['restore', archive, '--yes', ...secret], { PARLEY_DATA_DIR })
  t.match(restored, { code: 0, out: /^Restored \d+ rows and 0 files, as of \d{4}-/ }, restored.err)
  const { secret: given, operator_key } = keys(from)
  t.match(keys(PARLEY_DATA_DIR), { secret: given, operator_key })
  const from_plain = { PARLEY_DATA_DIR: join(directory, 'from_plain'), PARLEY_SECRET: given }
  const { code, err } = await run(['restore', join(directory, 'plain.backup'), '--yes'], from_plain)
  t.equal(code, 0, err)
  t.equal(keys(from_plain.PARLEY_DATA_DIR).secret, given, 'a start without PARLEY_SECRET finds it')
  t.match(await run(['restore', archive, '--yes', ...secret], { PARLEY_DATA_DIR }), {
    code: 1,
    err: /^The database is not empty \(.*\): create a new one\.$/m,
  })
  const next = await start(PARLEY_DATA_DIR)
  t.teardown(() => next.stop())
  const headers = { authorization: `Bearer ${demo.token}`, connection: 'close' }
  const me = await fetch(`${next.base_url}/v1/me`, { headers })
  t.match(await me.json(), { project: { id: demo.project_id } }, 'its tokens work')
  t.match(await run(['restore', archive, '--yes', ...secret], { PARLEY_DATA_DIR }), {
    code: 1,
    err: /^A Parley runs in .*: stop it first\.\n$/,
  })
})

t.test('from an embedded to an external database, with a clear reason when it is not possible', async (t) => {
  const DATABASE_URL = await emptyDatabaseUrl(t)
  const target = { DATABASE_URL, PARLEY_DATA_DIR: join(directory, 'external') }
  const refused = async (args: string[], why: RegExp, more = {}) => {
    const { code, err } = await run(['restore', '--yes', ...args], { ...target, ...more })
    t.match({ code, err: err.split('\n').at(-2) }, { code: 1, err: why })
  }
  await refused([archive], /^The archive is encrypted: its passphrase is missing\.$/)
  await refused([archive], /^The passphrase is wrong\.$/, { PARLEY_BACKUP_PASSPHRASE: 'another passphrase' })
  await refused([archive, ...secret], /^The archive is of a database with another PARLEY_SECRET/, {
    PARLEY_SECRET: 'a secret of somebody else',
  })
  await refused(
    [join(directory, 'plain.backup')],
    /^The archive is of a database with another PARLEY_SECRET.*is not set/,
  )
  await refused([join(directory, 'none')], /none cannot be used \(there is no such file or directory\)\.$/)
  const cut = join(directory, 'cut.backup')
  writeFileSync(cut, readFileSync(archive))
  truncateSync(cut, statSync(archive).size - 100)
  await refused([cut, ...secret], /^The file is damaged: it ends too early\.$/)
  t.match(await run(['backup', 'verify', cut, ...secret]), {
    code: 1,
    err: /The file is damaged: it ends too early\.\n$/,
  })
  const asked = await runOnTerminal(['restore', archive, ...secret], target, 'n')
  t.match(asked, {
    code: 1,
    err: /Fill the database test_\w+ at 127\.0\.0\.1:\d+ with the archive of .*\? .*Nothing is restored\.\n$/s,
  })
  t.match(await run(['restore', archive, '--yes', '--passphrase-file', '/dev/null'], target), {
    code: 2,
    err: /at least 8 characters/,
  })
  const tables = `select count(*)::int as count from pg_class where relnamespace = 'public'::regnamespace`
  t.match(await plainQuery(DATABASE_URL, tables), [{ count: 0 }], 'nothing was made')

  const { secret: PARLEY_SECRET } = keys(from)
  const { code, out, err } = await run(['restore', join(directory, 'plain.backup'), '--json', '--yes'], {
    ...target,
    PARLEY_SECRET,
  })
  t.equal(code, 0, err)
  t.match(JSON.parse(out), { files: 0, left_out: [], migrated: [] })
  t.match(await plainQuery(DATABASE_URL, 'select name from project'), [{ name: 'Demo project' }])
  const audit = await plainQuery(
    DATABASE_URL,
    `select action, actor_name, after from audit_entry where target_kind = 'database' order by _id`,
  )
  t.match(audit, [
    { action: 'make_backup', actor_name: 'command line', after: { is_encrypted: true } },
    { action: 'restore_backup', actor_name: 'command line', after: { snapshot_at: /^\d{4}-/ } },
  ])
  t.notOk(existsSync(join(directory, 'external')), 'no data directory is made for it')
})
