import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '@nats-io/transport-node'
import t from 'tap'
import { natsOptions } from '../../runtime/servers/nats_options.ts'
import { localPostgresUrl, postgresUrl } from '../../runtime/servers/postgres.ts'
import { birthOf, commandOf } from '../../runtime/servers/process_table.ts'
import { startServers } from '../../runtime/servers/start_servers.ts'
import { openDatabase } from '../../storage/mod.ts'
import { type Owner, tempDir } from '../support/mod.ts'

const script = new URL('run_servers.ts', import.meta.url).pathname

type Started = { database_url: string; nats_url: string; pids: { postgres: number; nats: number } }

/**
 * Starts a process of its own that runs the servers of `data_dir`. The process is killed after the test if it still
 * runs.
 */
async function startProcess(t: Owner, data_dir: string) {
  const child = spawn(process.execPath, [script, data_dir], { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  let output = ''
  let errors = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (errors += chunk))
  t.teardown(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    await ended
  })
  await until(() => output.includes('\n') || child.exitCode !== null)
  const servers: Started | null = output ? JSON.parse(output) : null
  return { child, ended, servers, errors: () => errors }
}

/** Polls until `condition` holds. The test's own time-out ends an endless wait. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(10)
}

async function query<Row>(url: string, sql: string): Promise<Row[]> {
  const database = await openDatabase({ url, pool_size: 1 })
  return database.execute<Row>(sql).finally(() => database.close())
}

const gone = (pids: object) => Object.values(pids).every((pid) => commandOf(pid) === null)

/**
 * One directory for all tests that need none of their own: making one takes longer than a test. Each test leaves it
 * unchanged for the next.
 */
const common = tempDir(t)

t.test('both servers start, keep their addresses and their data, and leave nothing', async (t) => {
  const data_dir = common
  const first = await startServers({ data_dir })
  const pids = first.pids()
  await query(first.database_url, 'create table kept as select 42 as answer')
  await (await connect(natsOptions(first.nats_url))).close()
  await t.rejects(connect({ servers: new URL(first.nats_url).host }), /authorization/i, 'no token, no entry')
  await first.stop()
  t.ok(gone(pids))
  const second = await startServers({ data_dir })
  t.teardown(second.stop)
  t.equal(second.database_url, first.database_url)
  t.equal(second.nats_url, first.nats_url)
  t.strictSame(await query(second.database_url, 'select answer from kept'), [{ answer: 42 }])
  const wrong = `create table people (phone text unique); insert into people values ('+15557654321'), ('+15557654321')`
  await t.rejects(query(second.database_url, wrong), /duplicate key/)
  const log = readFileSync(join(data_dir, 'postgres.log'), 'utf8')
  t.match(log, /duplicate key/)
  t.notMatch(log, /15557654321/, 'no log has values of people')
  t.strictSame(await query(second.database_url, `select current_setting('synchronous_commit') as it`), [{ it: 'on' }])
  t.strictSame(
    await query(second.database_url, `select lower('ÁÑ') as it`),
    [{ it: 'áñ' }],
    'case folds in every script',
  )
})

t.test('processes of the machine reach PostgreSQL over its Unix socket, also after it was started again', async (t) => {
  const servers = await startServers({ data_dir: common })
  t.teardown(servers.stop)
  const database = await openDatabase({ url: servers.local_database_url, pool_size: 1 })
  t.teardown(() => database.close())
  const address = async () => (await database.execute('select inet_server_addr() as it'))[0]!.it
  t.equal(await address(), null)
  const { postgres } = servers.pids()
  process.kill(postgres!, 'SIGQUIT')
  await until(() => servers.pids().postgres !== postgres)
  await until(() =>
    address().then(
      (it) => it === null,
      () => false,
    ),
  )
})

t.test('a data directory with a path that no socket can have is reached over loopback', async (t) => {
  const url = localPostgresUrl(`/${'d'.repeat(100)}`, 5432, 'secret')
  t.equal(url, postgresUrl(5432, 'secret'))
})

t.test('only the wanted servers are started', async (t) => {
  const servers = await startServers({ data_dir: tempDir(t), postgres: false })
  t.teardown(servers.stop)
  t.equal(servers.database_url, '')
  t.equal(servers.pids().postgres, undefined)
  t.type(servers.pids().nats, 'number')
})

t.test('a data directory in use is refused in one sentence that names the process', async (t) => {
  const data_dir = common
  const { child } = await startProcess(t, data_dir)
  await t.rejects(startServers({ data_dir, durable: false }), {
    name: 'ServerError',
    message: new RegExp(`is in use by the Parley with process id ${child.pid}: stop that one, .*\\.$`),
  })
})

t.test('a directory that cannot be made is refused in one sentence', async (t) => {
  await t.rejects(startServers({ data_dir: '/etc/passwd/nowhere' }), {
    name: 'ServerError',
    message: /^The data directory \/etc\/passwd\/nowhere cannot be written \(\w+\): set PARLEY_DATA_DIR\.$/,
  })
})

t.test('SIGTERM ends the servers in order and the process by itself', async (t) => {
  const { child, ended, servers } = await startProcess(t, common)
  child.kill('SIGTERM')
  t.strictSame(await ended, [0, null])
  t.ok(servers && gone(servers.pids))
})

t.test('kill -9 of the process takes the servers along, and the next start has the data', async (t) => {
  const data_dir = common
  const { child, ended, servers } = await startProcess(t, data_dir)
  if (!servers) return t.fail('did not start')
  await query(servers.database_url, 'create table outlived as select 42 as answer')
  child.kill('SIGKILL')
  await ended
  const next = await startServers({ data_dir, durable: false })
  t.teardown(next.stop)
  t.ok(gone(servers.pids), 'the old ones are gone before the new ones run')
  t.equal(next.database_url, servers.database_url)
  t.strictSame(await query(next.database_url, 'select answer from outlived'), [{ answer: 42 }])
})

t.test('nothing stays running after kill -9 without a next start', async (t) => {
  const { child, servers } = await startProcess(t, common)
  child.kill('SIGKILL')
  await until(() => servers !== null && gone(servers.pids))
  t.pass('the guardian ended them')
})

t.test(
  'the next start ends the servers that remain when the guardian is killed too',
  { skip: process.platform !== 'linux' },
  async (t) => {
    const data_dir = common
    const { child, ended, servers } = await startProcess(t, data_dir)
    if (!servers) return t.fail('did not start')
    // The process stops first, so that it cannot start another guardian.
    child.kill('SIGSTOP')
    const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ').map(Number)
    const guardian = children.find((pid) => commandOf(pid)?.includes('parley-guardian'))
    process.kill(guardian ?? 0, 'SIGKILL')
    child.kill('SIGKILL')
    await ended
    t.notOk(gone(servers.pids), 'the servers were left alone')
    const next = await startServers({ data_dir, durable: false })
    t.teardown(next.stop)
    t.ok(gone(servers.pids))
    t.equal(next.nats_url, servers.nats_url)
  },
)

t.test('pid files that name foreign processes harm nobody', async (t) => {
  const data_dir = common
  await (await startServers({ data_dir, durable: false })).stop()
  for (const file of ['postgres/postmaster.pid', 'nats.pid']) writeFileSync(join(data_dir, file), `${process.pid}\n`)
  writeFileSync(join(data_dir, 'parley.pid'), `${process.pid} ${Number(birthOf(process.pid)) - 1}\n`)
  const servers = await startServers({ data_dir, durable: false })
  t.teardown(servers.stop)
  t.type(servers.pids().postgres, 'number')
})

t.test('a first start that was killed halfway is made again', async (t) => {
  const data_dir = tempDir(t)
  await (await startServers({ data_dir, durable: false })).stop()
  rmSync(join(data_dir, 'postgres'), { recursive: true })
  writeFileSync(join(data_dir, 'postgres.new'), 'half')
  const servers = await startServers({ data_dir, durable: false })
  t.teardown(servers.stop)
  t.strictSame(await query(servers.database_url, 'select 1 as one'), [{ one: 1 }])
})

for (const name of ['postgres', 'nats'] as const) {
  t.test(`${name} is started again on the same address after kill -9, twice in a row`, async (t) => {
    const servers = await startServers({ data_dir: common, durable: false })
    t.teardown(servers.stop)
    for (const _ of [1, 2]) {
      const pid = servers.pids()[name]
      process.kill(pid ?? 0, 'SIGKILL')
      await until(() => servers.pids()[name] !== undefined && servers.pids()[name] !== pid)
      await until(() => answers(name, servers))
    }
    t.pass('it answers')
  })
}

t.test('stop during a restart ends everything', async (t) => {
  const servers = await startServers({ data_dir: common, durable: false })
  const { postgres = 0, nats = 0 } = servers.pids()
  process.kill(postgres, 'SIGKILL')
  process.kill(nats, 'SIGKILL')
  await servers.stop()
  t.strictSame(servers.pids(), { postgres: undefined, nats: undefined })
})

function answers(name: 'postgres' | 'nats', { database_url, nats_url }: Pick<Started, 'database_url' | 'nats_url'>) {
  const attempt =
    name === 'postgres' ? query(database_url, 'select 1') : connect(natsOptions(nats_url)).then((nats) => nats.close())
  return attempt.then(
    () => true,
    () => false,
  )
}
