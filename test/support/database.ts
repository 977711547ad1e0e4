import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { type Database, migrate, openDatabase } from '../../storage/mod.ts'
import { asAdmin } from './admin_connection.ts'
import { databaseUrl } from './database_url.ts'
import type { Owner } from './owner.ts'
import { sharedServers } from './servers.ts'
import { LATER, templateName } from './template.ts'

export type TestDatabase = { url: string; database: Database }

/** The PARLEY_SECRET of all tests. */
export const TEST_SECRET = 'a secret for tests, 32 bytes long'

/** The key of the advisory lock that lets only one test process make the template. Any number will do. */
const TEMPLATE_LOCK = 1_970_010_101
/** Milliseconds that a test waits while another process makes the template. */
const TEMPLATE_MS = 120_000

let template: Promise<string> | null = null

const POOL = 4
/** Connections beside the pool: one commits, one asks. */
const BESIDE_POOL = 2

/**
 * Makes a fresh database with all migrations applied, opens it, and drops it after the test. Takes about 70 ms.
 * `pool_size` counts the connections of its pool alone.
 */
export async function testDatabase(t: Owner, options: { pool_size?: number } = {}): Promise<TestDatabase> {
  const url = await testDatabaseUrl(t)
  const database = await openDatabase({
    url,
    secret: TEST_SECRET,
    pool_size: (options.pool_size ?? POOL) + BESIDE_POOL,
  })
  t.teardown(() => database.close())
  return { url, database }
}

let shared: Promise<string> | undefined

/**
 * Opens the database that the tests of this process share, for a test whose rows belong to a tenant of its own and that
 * counts no others. It stays until the server ends.
 */
export async function sharedDatabase(t: Owner): Promise<Database> {
  shared ??= createDatabase((await sharedServers()).database_url, await preparedTemplate())
  const database = await openDatabase({ url: await shared, secret: TEST_SECRET, pool_size: POOL + BESIDE_POOL })
  t.teardown(() => database.close())
  return database
}

/** Makes the same database but does not open it, for tests that start a node on it. */
export async function testDatabaseUrl(t: Owner): Promise<string> {
  return ownDatabase(t, await preparedTemplate())
}

/** Makes a copy of a database to which nobody is connected. */
export async function copiedDatabaseUrl(t: Owner, url: string): Promise<string> {
  return ownDatabase(t, new URL(url).pathname.slice(1))
}

/** Makes a fresh database without any tables, for tests of the migrations. */
export async function emptyDatabaseUrl(t: Owner): Promise<string> {
  return ownDatabase(t, 'template0')
}

async function preparedTemplate(): Promise<string> {
  const { database_url } = await sharedServers()
  template ??= makeTemplate(database_url)
  return template
}

async function ownDatabase(t: Owner, from: string): Promise<string> {
  const { database_url } = await sharedServers()
  const url = await createDatabase(database_url, from)
  const name = new URL(url).pathname.slice(1)
  t.teardown(() => asAdmin(database_url, (admin) => admin.query(`drop database ${name} with (force)`)))
  return url
}

async function createDatabase(server_url: string, from: string): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`
  // The other strategy writes each page to the log: twice the work for a template that nobody changes.
  await asAdmin(server_url, (admin) => admin.query(`create database ${name} template ${from} strategy file_copy`))
  return databaseUrl(server_url, name)
}

/** Makes the template, unless the server was prepared with it. Returns its name. */
export async function makeTemplate(server_url: string): Promise<string> {
  const name = templateName()
  const draft = `${name}_draft`
  const admin = new Client({ connectionString: server_url })
  await admin.connect()
  try {
    const exists = async () =>
      (await admin.query('select 1 from pg_database where datname = $1', [name])).rows.length > 0
    if (await exists()) return name
    // The lock ends with this connection.
    await admin.query(`set statement_timeout = ${TEMPLATE_MS}`)
    await admin.query(`select pg_advisory_lock(${TEMPLATE_LOCK})`)
    if (await exists()) return name
    await admin.query(`drop database if exists ${draft} with (force)`)
    await admin.query(`create database ${draft}`)
    const database = await openDatabase({ url: databaseUrl(server_url, draft), secret: TEST_SECRET, pool_size: 2 })
    await migrate(database)
      .then(() => database.execute(LATER))
      .finally(() => database.close())
    await admin.query(`alter database ${draft} rename to ${name}`)
  } finally {
    await admin.end()
  }
  return name
}
