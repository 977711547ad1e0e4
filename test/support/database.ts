import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { Client } from 'pg'
import { type Database, migrate, openDatabase } from '../../storage/mod.ts'
import type { Owner } from './owner.ts'
import { sharedServers } from './servers.ts'

export type TestDatabase = { url: string; database: Database }

/** The PARLEY_SECRET of all tests. */
export const TEST_SECRET = 'a secret for tests, 32 bytes long'

/** The key of the advisory lock that lets only one test process make the template. Any number will do. */
const TEMPLATE_LOCK = 1_970_010_101
/** Milliseconds that a test waits while another process makes the template. */
const TEMPLATE_MS = 120_000

/**
 * Adds a column to every table, as the next release may do while nodes of this release work. No test may notice the
 * column: no answer and no event may show it, and nothing may depend on the number of columns.
 */
const LATER = `do $$
  declare name text;
  begin
    for name in select relname from pg_class c where relkind in ('r', 'p') and not relispartition
      and relnamespace = 'public'::regnamespace and relname not like 'migration%'
    loop
      execute format('alter table %I add column of_a_later_release text default ''later''', name);
    end loop;
  end $$`

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
  template ??= makeTemplate()
  const url = await createDatabase(t, await template)
  return url
}

/** Makes a fresh database without any tables, for tests of the migrations. */
export function emptyDatabaseUrl(t: Owner): Promise<string> {
  return createDatabase(t, 'template0')
}

async function createDatabase(t: Owner, from: string): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`
  // The other strategy writes each page to the log: twice the work for a template that nobody changes.
  await asAdmin((admin) => admin.query(`create database ${name} template ${from} strategy file_copy`))
  t.teardown(() => asAdmin((admin) => admin.query(`drop database ${name} with (force)`)))
  return at(name)
}

/**
 * Names the template after the migrations, so a server that outlives a run never serves the tables of an older release.
 */
async function makeTemplate(): Promise<string> {
  const name = `template_${migrationsHash()}`
  const draft = `${name}_draft`
  await asAdmin(async (admin) => {
    const exists = async () =>
      (await admin.query('select 1 from pg_database where datname = $1', [name])).rows.length > 0
    if (await exists()) return
    // This connection stays open as long as the database, so the lock ends with the database.
    await admin.query(`set statement_timeout = ${TEMPLATE_MS}`)
    await admin.query(`select pg_advisory_lock(${TEMPLATE_LOCK})`)
    if (await exists()) return
    await admin.query(`drop database if exists ${draft} with (force)`)
    await admin.query(`create database ${draft}`)
    const database = await openDatabase({ url: await at(draft), secret: TEST_SECRET, pool_size: 2 })
    await migrate(database)
      .then(() => database.execute(LATER))
      .finally(() => database.close())
    await admin.query(`alter database ${draft} rename to ${name}`)
  })
  return name
}

/** Without the mapper: its discovery of the entities would take longer than the work. */
async function asAdmin<Result>(work: (admin: Client) => Promise<Result>): Promise<Result> {
  const { database_url } = await sharedServers()
  const admin = new Client({ connectionString: database_url })
  await admin.connect()
  return work(admin).finally(() => admin.end())
}

async function at(name: string): Promise<string> {
  const url = new URL((await sharedServers()).database_url)
  url.pathname = `/${name}`
  return url.href
}

function migrationsHash(): string {
  const directory = new URL('../../storage/migrations/', import.meta.url)
  const hash = createHash('sha256').update(LATER)
  for (const file of readdirSync(directory).sort()) hash.update(readFileSync(new URL(file, directory)))
  return hash.digest('hex').slice(0, 16)
}
