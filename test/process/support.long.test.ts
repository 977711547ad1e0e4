import { spawnSync } from 'node:child_process'
import { jetstreamManager } from '@nats-io/jetstream'
import t from 'tap'
import { birthOf, childrenOf } from '../../runtime/servers/process_table.ts'
import { privateNats, privatePostgres, testDatabase, testNats } from '../support/mod.ts'

t.test('each test database is migrated and its own', async (t) => {
  const [one, two] = await Promise.all([testDatabase(t), testDatabase(t)])
  t.not(one.url, two.url)
  await one.database.execute('create table only_here ()')
  const tables = await two.database.execute<{ found: string | null }>(
    `select to_regclass('only_here')::text found union all select to_regclass('migration')::text`,
  )
  t.strictSame(
    tables.map(({ found }) => found),
    [null, 'migration'],
  )
})

t.test('streams of a test are gone after it', async (t) => {
  let prefix = ''
  await t.test('makes one', async (t) => {
    const nats = await testNats(t)
    prefix = nats.prefix
    const manager = await jetstreamManager(await nats.connect())
    await manager.streams.add({ name: `${prefix}_log`, subjects: [`${prefix}.>`] })
  })
  const manager = await jetstreamManager(await (await testNats(t)).connect())
  await t.rejects(manager.streams.info(`${prefix}_log`), { message: /not found/ })
})

t.test('a private nats-server can be killed, wiped and started again', async (t) => {
  const nats = await privateNats(t)
  const before = await jetstreamManager(await nats.connect())
  await before.streams.add({ name: 'kept', subjects: ['kept'] })
  await nats.kill()
  await nats.start()
  const between = await jetstreamManager(await nats.connect())
  t.match(await between.streams.info('kept'), { config: { name: 'kept' } }, 'a kill loses no stream')
  await nats.kill()
  nats.wipe()
  await nats.start()
  const after = await jetstreamManager(await nats.connect())
  await t.rejects(after.streams.info('kept'), { message: /not found/ })
})

t.test('a private PostgreSQL can be killed and started again', async (t) => {
  const postgres = await privatePostgres(t)
  const first = postgres.pid()
  const backends = childrenOf(first!)
  t.ok(backends.length > 0)
  await postgres.kill()
  t.equal(postgres.pid(), undefined)
  t.strictSame(backends.filter(birthOf), [], 'no backend outlives it')
  await postgres.start()
  t.not(postgres.pid(), first)
})

t.test('a test file that leaves something running fails and names it', (t) => {
  const file = new URL('run_leaking.ts', import.meta.url).pathname
  const { status, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' })
  t.equal(status, 1)
  t.match(stderr, /run_leaking\.ts left open after its last test: Timeout/)
  t.end()
})
