import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { type Database, migrate, openDatabase } from '../../storage/mod.ts'
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

/** Connections beside the pool: one commits, one asks. */
const BESIDE_POOL = 2

/**
 * Makes a fresh database with all migrations applied, opens it, and drops it after the test. Takes about 70 ms.
 * `pool_size` counts the connections of its pool alone, default 4.
 */
export async function testDatabase(t: Owner, options: { pool_size?: number } = {}): Promise<TestDatabase> {
  const url = await testDatabaseUrl(t)
  const database = await openDatabase({ url, secret: TEST_SECRET, pool_size: (options.pool_size ?? 4) + BESIDE_POOL })
  t.teardown(() => database.close())
  return { url, database }
}

/** Makes the same database but does not open it, for tests that start a node on it. */
export async function testDatabaseUrl(t: Owner): Promise<string> {
  const { database_url } = await sharedServers()
  template ??= makeTemplate(database_url)
  return createDatabase(t, database_url, await template)
}

/** Makes a fresh database without any tables, for tests of the migrations. */
export async function emptyDatabaseUrl(t: Owner): Promise<string> {
  return createDatabase(t, (await sharedServers()).database_url, 'template0')
}

async function createDatabase(t: Owner, server_url: string, from: string): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`
  // The other strategy writes each page to the log: twice the work for a template that nobody changes.
  await asAdmin(server_url, (admin) => admin.query(`create database ${name} template ${from} strategy file_copy`))
  t.teardown(() => asAdmin(server_url, (admin) => admin.query(`drop database ${name} with (force)`)))
  return at(server_url, name)
}

/** Makes the template, unless the server was prepared with it. Returns its name. */
export async function makeTemplate(server_url: string): Promise<string> {
  const name = templateName()
  const draft = `${name}_draft`
  await asAdmin(server_url, async (admin) => {
    const exists = async () =>
      (await admin.query('select 1 from pg_database where datname = $1', [name])).rows.length > 0
    if (await exists()) return
    // This connection stays open as long as the database, so the lock ends with the database.
    await admin.query(`set statement_timeout = ${TEMPLATE_MS}`)
    await admin.query(`select pg_advisory_lock(${TEMPLATE_LOCK})`)
    if (await exists()) return
    await admin.query(`drop database if exists ${draft} with (force)`)
    await admin.query(`create database ${draft}`)
    const database = await openDatabase({ url: at(server_url, draft), secret: TEST_SECRET, pool_size: 2 })
    await migrate(database)
      .then(() => database.execute(LATER))
      .finally(() => database.close())
    await admin.query(`alter database ${draft} rename to ${name}`)
  })
  return name
}

/** Without the mapper: its discovery of the entities would take longer than the work. */
async function asAdmin<Result>(server_url: string, work: (admin: Client) => Promise<Result>): Promise<Result> {
  const admin = new Client({ connectionString: server_url })
  await admin.connect()
  return work(admin).finally(() => admin.end())
}

function at(server_url: string, name: string): string {
  const url = new URL(server_url)
  url.pathname = `/${name}`
  return url.href
}
