import { chmodSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { confirmSecret, openDatabase } from '../../storage/mod.ts'
import {
  emptyDatabaseUrl,
  freePort,
  type Owner,
  plainNats,
  privateNatsCluster,
  sharedServers,
  tempDir,
  testDatabaseUrl,
} from '../support/mod.ts'
import { run } from './command.ts'

type Finding = { name: string; status: 'ok' | 'warn' | 'fail'; text: string }

const keys = {
  PARLEY_OPERATOR_KEY: 'the key of the operator',
  PARLEY_SECRET: 'the secret of this Parley',
  PARLEY_BASE_URL: 'https://parley.example.com',
}

/** Returns the findings as `status name: text`. */
async function examine(t: Owner, env: Record<string, string>) {
  const settings = {
    PARLEY_DATA_DIR: tempDir(t),
    PARLEY_HOST: '127.0.0.1',
    PARLEY_PORT: String(await freePort()),
    ...env,
  }
  const { code, out, err } = await run(['doctor', '--json'], settings)
  const { ok, findings } = JSON.parse(out || `{"ok":false,"findings":[{"text":${JSON.stringify(err)}}]}`)
  return { code, ok, lines: findings.map(({ status, name, text }: Finding) => `${status} ${name}: ${text}`).join('\n') }
}

t.test('healthy servers of the operator have no finding', async (t) => {
  const { nats_url: NATS_URL } = await sharedServers()
  const { code, ok, lines } = await examine(t, { ...keys, DATABASE_URL: await testDatabaseUrl(t), NATS_URL })
  t.strictSame({ code, ok }, { code: 0, ok: true }, lines)
  t.match(lines, /^ok configuration: The settings are valid for production\.$/m)
  t.match(lines, /^ok postgres: The PostgreSQL of DATABASE_URL answers \(version \d+\.\d+\)\.$/m)
  t.match(lines, /^ok migrations: The database is up to date\.$/m)
  t.match(lines, /^ok clock: The clock agrees with that of the database\.$/m)
  t.match(lines, /^ok nats: The broker at 127\.0\.0\.1:\d+ is nats-server \d+\.\d+\.\d+ with JetStream\.$/m)
  t.match(lines, /^ok port: Port \d+ of 127\.0\.0\.1 is free\.$/m)
})

t.test('doctor finds a database of another secret, and a port of the figures that is taken', async (t) => {
  const DATABASE_URL = await testDatabaseUrl(t)
  const database = await openDatabase({ url: DATABASE_URL, secret: keys.PARLEY_SECRET })
  t.teardown(() => database.close())
  await confirmSecret(database)
  const taken = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await new Promise((resolve) => taken.once('listening', resolve))
  t.teardown(() => taken.close())
  const PARLEY_METRICS_PORT = String((taken.address() as { port: number }).port)
  const [same, other] = await Promise.all([
    examine(t, { ...keys, DATABASE_URL }),
    examine(t, { ...keys, DATABASE_URL, PARLEY_METRICS_PORT, PARLEY_SECRET: 'some other secret' }),
  ])
  t.match(same.lines, /^ok secret: PARLEY_SECRET is the one the database was made with\.$/m)
  t.match(same.lines, /^warn files: .* set PARLEY_BLOB_URL to a bucket or a shared directory/m)
  t.equal(other.code, 1)
  t.match(other.lines, /^fail secret: The database was made with another PARLEY_SECRET, .*: set the PARLEY_SECRET/m)
  t.match(other.lines, /^fail metrics: Port \d+ of 127\.0\.0\.1 cannot be opened for \/metrics \(EADDRINUSE\): /m)
})

t.test('migrate applies what doctor misses', async (t) => {
  const DATABASE_URL = await emptyDatabaseUrl(t)
  t.match((await examine(t, { ...keys, DATABASE_URL })).lines, /^warn migrations: \d+ migrations are missing: /m)
  t.match(await run(['migrate'], { DATABASE_URL }), { code: 0, out: /^Applied \d+:\n {2}\w+/ })
  const again = await run(['migrate', '--json'], { DATABASE_URL })
  t.strictSame(JSON.parse(again.out), { applied: [] })
  t.match((await examine(t, { ...keys, DATABASE_URL })).lines, /^ok migrations: /m)
})

t.test('doctor finds servers that are unreachable or refuse the sign-in', async (t) => {
  const { nats_url, database_url } = await sharedServers()
  const wrong = (url: string) => Object.assign(new URL(url), { username: 'nobody', password: 'hush' }).href
  const closed = await freePort()
  const [none, refused] = await Promise.all([
    examine(t, { ...keys, DATABASE_URL: `postgres://127.0.0.1:${closed}/x`, NATS_URL: `nats://127.0.0.1:${closed}` }),
    examine(t, { ...keys, DATABASE_URL: wrong(database_url), NATS_URL: wrong(nats_url) }),
  ])
  t.equal(none.code, 1)
  t.match(none.lines, /^fail postgres: The PostgreSQL of DATABASE_URL does not answer \(.*ECONNREFUSED.*\): /m)
  t.match(none.lines, /^fail nats: The broker at 127\.0\.0\.1:\d+ does not answer as NATS does \(ECONNREFUSED\): /m)
  t.equal(refused.code, 1)
  t.match(refused.lines, /^fail postgres: .* refuses \(password authentication failed .*\): correct the URL\.$/m)
  t.match(refused.lines, /^fail nats: .* refuses the credentials of NATS_URL \(Authorization Violation\): /m)
  t.notMatch(refused.lines, 'hush')
})

t.test('doctor finds a broker that is too old or lacks JetStream', async (t) => {
  const broker = async (info: object) => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', () => socket.write('PONG\r\n'))
      socket.write(`INFO ${JSON.stringify(info)}\r\n`)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => server.close())
    return `nats://127.0.0.1:${(server.address() as { port: number }).port}`
  }
  const both = [await broker({ version: '2.8.4', jetstream: true }), await broker({ version: '2.10.1' })]
  const { code, lines } = await examine(t, { NATS_URL: both.join(',') })
  t.equal(code, 1)
  t.match(lines, /^fail nats: .* is nats-server 2\.8\.4: Parley needs 2\.9 or newer\.$/m)
  t.match(lines, /^fail nats: .* runs without JetStream: enable it/m)
})

t.test('doctor finds more replicas than NATS has servers', async (t) => {
  const { url } = await privateNatsCluster(t, 3)
  const [alone, many, fitting] = await Promise.all([
    examine(t, { NATS_URL: (await plainNats(t)).url, PARLEY_NATS_REPLICAS: '3' }),
    examine(t, { NATS_URL: url, PARLEY_NATS_REPLICAS: '5' }),
    examine(t, { NATS_URL: url, PARLEY_NATS_REPLICAS: '3' }),
  ])
  t.match(
    alone.lines,
    /^fail nats: PARLEY_NATS_REPLICAS is 3, and NATS has a single server .*: lower it, or start more/m,
  )
  t.match(
    many.lines,
    /^(fail|warn) nats: PARLEY_NATS_REPLICAS is 5, and NATS has 3 servers.*: lower it, or start more/m,
  )
  t.notMatch(fitting.lines, 'PARLEY_NATS_REPLICAS')
})

t.test('doctor finds faults of settings, directory, port and nats-server', async (t) => {
  const taken = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await new Promise((resolve) => taken.once('listening', resolve))
  t.teardown(() => taken.close())
  const { port } = taken.address() as { port: number }
  const directory = tempDir(t)
  const file = join(directory, 'file')
  writeFileSync(file, '')
  const old = join(directory, 'nats-server')
  writeFileSync(old, '#!/bin/sh\necho nats-server: v2.8.4\n')
  chmodSync(old, 0o755)
  const [one, two] = await Promise.all([
    examine(t, { PARLEY_PORT: String(port), PARLEY_DATA_DIR: file, PARLEY_NATS_SERVER: old, PARLEY_POOL_SIZE: 'many' }),
    examine(t, { PARLEY_ENV: 'production', PARLEY_DATA_DIR: join(directory, 'new'), PARLEY_NATS_SERVER: file }),
  ])
  t.equal(one.code, 1)
  t.match(one.lines, /^fail configuration: PARLEY_POOL_SIZE must be a whole number from \d+ to \d+, not "many"\.$/m)
  t.match(one.lines, /^fail data directory: .*file is not a directory: set PARLEY_DATA_DIR to another\.$/m)
  t.match(one.lines, new RegExp(`^fail port: Port ${port} of 127\\.0\\.0\\.1 is taken by another program: `, 'm'))
  t.match(one.lines, /^fail nats: .* is version 2\.8\.4: Parley needs 2\.9 or newer; replace it\.$/m)
  t.equal(two.code, 1)
  t.match(two.lines, /^fail configuration: PARLEY_OPERATOR_KEY is not set, /m)
  t.match(two.lines, /^fail configuration: PARLEY_BASE_URL is not set, .* such as https:/m)
  t.match(two.lines, /^ok data directory: .*new does not exist yet and can be made\.$/m)
  t.match(two.lines, /^fail nats: PARLEY_NATS_SERVER names .*file, which cannot be executed: /m)
})

t.test('doctor finds an address without TLS, and nodes that need more connections than there are', async (t) => {
  const DATABASE_URL = await testDatabaseUrl(t)
  const PARLEY_BASE_URL = 'http://parley.example.com'
  const many = { PARLEY_NODES: '64', PARLEY_POOL_SIZE: '100' }
  const { code, lines } = await examine(t, { ...keys, DATABASE_URL, PARLEY_BASE_URL, ...many })
  t.equal(code, 1)
  t.match(lines, /^warn configuration: PARLEY_BASE_URL begins with http:, .*: set the https address\.$/m)
  t.match(
    lines,
    /^fail postgres: The nodes of this machine open up to 6400 connections .*, and PostgreSQL admits \d+: raise its/m,
  )
})

t.test('doctor counts the connections of nodes on all machines', async (t) => {
  const DATABASE_URL = await testDatabaseUrl(t)
  const database = await openDatabase({ url: DATABASE_URL, pool_size: 1 })
  t.teardown(() => database.close())
  await database.execute(`
    insert into node (id, stamp, facts, renewed_at)
    select 'node-' || n, n, '{}', clock_timestamp() + interval '1 minute' from generate_series(1, 999) n`)
  const { lines } = await examine(t, { ...keys, DATABASE_URL, PARLEY_POOL_SIZE: '10' })
  t.match(
    lines,
    /^fail postgres: The 999 nodes that run open up to 9990 connections .*, and PostgreSQL admits \d+: raise/m,
  )
})

t.test('doctor writes to the store of uploaded files', async (t) => {
  const directory = tempDir(t)
  const s3 = `s3://key:secret@127.0.0.1/media?endpoint=http://127.0.0.1:${await freePort()}`
  const stores = [`file://${directory}/new/store`, 'file:///proc/nope', 'file:///dev/null/store', s3]
  const found = await Promise.all(stores.map((PARLEY_BLOB_URL) => examine(t, { PARLEY_BLOB_URL })))
  t.match(found[0], { code: 0, lines: /^ok files: Uploaded files are kept in a directory\.$/m })
  t.strictSame(readdirSync(directory), [], 'nothing is left behind')
  for (const { code, lines } of found.slice(1)) {
    t.equal(code, 1)
    t.match(
      lines,
      /^fail files: The store of PARLEY_BLOB_URL cannot be written \(.+\): correct the URL or its permissions\.$/m,
    )
  }
  const data = await examine(t, { PARLEY_DATA_DIR: '/proc/nope' })
  t.match(
    data.lines,
    /^fail data directory: \/proc cannot be written by \S+ \(E\w+\): .*set PARLEY_DATA_DIR to another/m,
  )
})

t.test('doctor prints a report for people', async (t) => {
  const env = { PARLEY_DATA_DIR: tempDir(t), PARLEY_PORT: String(await freePort()) }
  const { code, out } = await run(['doctor'], env)
  t.equal(code, 0, out)
  t.match(out, /^✔ node +Node\.js 22\.\d+\.\d+ runs this\.$/m)
  t.match(out, /^✔ postgres +The embedded PostgreSQL \d+\.\d+ can run here\.$/m)
  t.match(out, /\nAll is well\.\n$/)
})
