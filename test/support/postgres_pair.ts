import { execFileSync } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { silentLog } from '../../runtime/log.ts'
import { Guardian } from '../../runtime/servers/guardian.ts'
import { freePort } from '../../runtime/servers/port.ts'
import { postgresUrl, preparePostgres } from '../../runtime/servers/postgres.ts'
import { migrate, openDatabase } from '../../storage/mod.ts'
import { TEST_SECRET } from './database.ts'
import type { Owner } from './owner.ts'
import { plainQuery } from './plain_query.ts'
import { tempDir } from './temp_dir.ts'

export type PostgresPair = {
  /** Names both servers, the standby first. */
  url: string
  primary: PairServer
  standby: PairServer
  /** Resolves when the standby has everything that the primary has. */
  caughtUp(): Promise<void>
  /** Cuts the replication: the standby receives nothing any more. */
  cutReplication(): Promise<void>
  /** Makes the standby a primary with the data it has received. */
  promote(): Promise<void>
}

export type PairServer = {
  url: string
  /** Runs a statement on either server, also on one that takes no writes. */
  execute(sql: string): Promise<Record<string, unknown>[]>
  start(): Promise<void>
  /** Sends SIGKILL. The server stays down until `start()`. */
  kill(): Promise<void>
}

const PASSWORD = 'private'
const MAX_MS = 60_000

/** Starts a migrated primary and a standby that follows it asynchronously. Takes some seconds. */
export async function postgresPair(t: Owner): Promise<PostgresPair> {
  const guardian = new Guardian()
  const ends: (() => Promise<void>)[] = [() => guardian.close()]
  t.teardown(async () => {
    for (const end of ends.toReversed()) await end()
  })
  const make = async () => {
    const [directory, port] = [tempDir(t), await freePort()]
    const data = join(directory, 'postgres')
    const url = postgresUrl(port, PASSWORD)
    const prepare = async (): Promise<PairServer> => {
      const server = await preparePostgres({ directory, port, password: PASSWORD, durable: false }, guardian, silentLog)
      ends.push(() => server.stop())
      return { url, execute: (sql) => plainQuery(url, sql), start: () => server.start(), kill: () => server.kill() }
    }
    return { data, port, prepare }
  }
  const [one, two] = [await make(), await make()]
  const primary = await one.prepare()
  await primary.start()
  const database = await openDatabase({ url: primary.url, secret: TEST_SECRET })
  await migrate(database).finally(() => database.close())
  await primary.kill()
  execFileSync('cp', ['-a', one.data, two.data])
  writeFileSync(join(two.data, 'standby.signal'), '')
  const source = `host=127.0.0.1 port=${one.port} user=parley password=${PASSWORD}`
  appendFileSync(join(two.data, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`)
  await primary.start()
  const standby = await two.prepare()
  // The standby reports itself ready only after its promotion.
  standby.start().catch(() => {})
  await until(async () => (await standby.execute('select 1')).length === 1)

  const position = async () => (await primary.execute('select pg_current_wal_lsn()::text as at'))[0]!.at
  return {
    url: primary.url.replace('@', `@127.0.0.1:${two.port},`),
    primary,
    standby,
    async caughtUp() {
      const at = await position()
      const sql = `select pg_last_wal_replay_lsn() >= '${at}'::pg_lsn as is_there`
      await until(async () => (await standby.execute(sql))[0]!.is_there === true)
    },
    async cutReplication() {
      await standby.execute(`alter system set primary_conninfo = ''`)
      await standby.execute('select pg_reload_conf()')
      await until(async () => (await primary.execute('select 1 from pg_stat_replication')).length === 0)
    },
    async promote() {
      await standby.execute('select pg_promote()')
    },
  }
}

/** Waits until `isSo` holds. A failure counts as not yet. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + MAX_MS; ; await pause(50)) {
    if (await isSo().catch(() => false)) return
    if (Date.now() > end) throw new Error(`waited in vain: ${isSo}`)
  }
}
