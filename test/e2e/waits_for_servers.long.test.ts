/** The servers and nodes come up in any order, as after a power cut. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import t from 'tap'
import { silentLog } from '../../runtime/mod.ts'
import { Guardian } from '../../runtime/servers/guardian.ts'
import { natsUrl, prepareNats } from '../../runtime/servers/nats.ts'
import { freePort, tempDir } from '../support/mod.ts'
import { startChild } from './child.ts'
import { eventually } from './client.ts'
import { settings } from './fixture.ts'

const entry = new URL('./run_parley.ts', import.meta.url)
const serve = new URL('../../http/app/serve.ts', import.meta.url)

t.test('a node that starts before its broker waits for it, and says so', async (t) => {
  const config = await settings(t)
  const port = await freePort()
  const token = 'late'
  const child = startChild(t, entry, {
    PARLEY_ENV: 'development',
    PARLEY_LOG_LEVEL: 'warn',
    PARLEY_PORT: String(config.port),
    PARLEY_DATA_DIR: tempDir(t),
    PARLEY_PARTITIONS: '4',
    DATABASE_URL: config.database_url!,
    NATS_URL: natsUrl(port, token),
  })
  await eventually('it says that it waits', () => /the NATS of NATS_URL cannot be reached yet/.test(child.said()))
  const guardian = new Guardian()
  const nats = prepareNats({ directory: tempDir(t), port, token }, guardian, silentLog)
  t.teardown(async () => {
    await nats.stop()
    await guardian.close()
  })
  await nats.start()
  t.match(await child.line(/^http:/), /^http:/)
  t.equal(await child.end('SIGTERM'), 0)
})

t.test('a node that starts before PostgreSQL waits for it, and refuses a wrong password at once', async (t) => {
  const config = await settings(t)
  const env = {
    PARLEY_ENV: 'development',
    PARLEY_LOG_LEVEL: 'warn',
    PARLEY_DATA_DIR: tempDir(t),
    NATS_URL: config.nats_url!,
  }
  const nowhere = startChild(t, entry, {
    ...env,
    DATABASE_URL: `postgresql://u:p@127.0.0.1:${await freePort()}/parley`,
  })
  await eventually('it says so', () => /the PostgreSQL of DATABASE_URL cannot be reached yet/.test(nowhere.said()))
  await nowhere.end('SIGKILL')
  const wrong = new URL(config.database_url!)
  wrong.pathname = '/there_is_no_such_database'
  const refused = startChild(t, entry, { ...env, DATABASE_URL: wrong.href })
  await t.rejects(refused.line(/^http:/), /there_is_no_such_database/)
})

t.test('a node waits for a PostgreSQL that takes connections and stays silent', async (t) => {
  const config = await settings(t)
  const { hostname, port } = new URL(config.database_url!)
  let is_silent = true
  const sockets: Socket[] = []
  const front = createServer((socket) => {
    sockets.push(socket.on('error', () => {}))
    if (is_silent) return
    const behind = connect(Number(port), hostname).on('error', () => {})
    sockets.push(behind)
    socket.pipe(behind).pipe(socket)
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    front.close()
  })
  const url = new URL(config.database_url!)
  url.port = String((front.address() as AddressInfo).port)
  const child = startChild(t, entry, {
    PARLEY_ENV: 'development',
    PARLEY_LOG_LEVEL: 'warn',
    PARLEY_PORT: String(config.port),
    PARLEY_DATA_DIR: tempDir(t),
    PARLEY_PARTITIONS: '4',
    DATABASE_URL: url.href,
    NATS_URL: config.nats_url!,
  })
  await eventually('it waits', () => /the PostgreSQL of DATABASE_URL cannot be reached yet/.test(child.said()))
  is_silent = false
  t.match(await child.line(/^http:/), /^http:/)
  t.equal(await child.end('SIGTERM'), 0)
})

for (const [name, setting, changes] of [
  ['PostgreSQL', 'DATABASE_URL', {}],
  ['its broker', 'NATS_URL', {}],
  ['the broker of its processes', 'NATS_URL', { PARLEY_NODES: '2' }],
] as const) {
  t.test(`a node that waits for ${name} ends when told to`, async (t) => {
    const config = await settings(t)
    const nowhere = `127.0.0.1:${await freePort()}`
    const child = startChild(t, serve, {
      PARLEY_ENV: 'development',
      PARLEY_LOG_LEVEL: 'warn',
      PARLEY_PORT: String(config.port),
      PARLEY_DATA_DIR: tempDir(t),
      DATABASE_URL: setting === 'DATABASE_URL' ? `postgresql://u:p@${nowhere}/parley` : config.database_url!,
      NATS_URL: setting === 'NATS_URL' ? `nats://${nowhere}` : config.nats_url!,
      ...changes,
    })
    await eventually('it waits', () => child.said().includes(`${setting} cannot be reached yet`))
    const told_at = Date.now()
    t.equal(await child.end('SIGTERM'), 0, child.said())
    t.ok(Date.now() - told_at < 10_000, 'long before its patience is over')
  })
}

t.test('the refusal of a server is one line with the reason', async (t) => {
  const config = await settings(t)
  const wrong = new URL(config.database_url!)
  wrong.pathname = '/there_is_no_such_database'
  const env = {
    PARLEY_ENV: 'production',
    PARLEY_BASE_URL: 'https://parley.example.com',
    PARLEY_OPERATOR_KEY: 'the key of the operator',
    PARLEY_SECRET: 'the secret of the database',
    PARLEY_DATA_DIR: tempDir(t),
    NATS_URL: config.nats_url!,
  }
  const child = startChild(t, serve, { ...env, DATABASE_URL: wrong.href })
  await t.rejects(child.line(/Parley is ready/))
  const said = child
    .said()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  t.match(said, [
    { level: 'error', msg: /^The PostgreSQL of DATABASE_URL cannot be used: .*there_is_no_such_database/ },
  ])
  t.notOk(said[0].error, 'no stack')
})
