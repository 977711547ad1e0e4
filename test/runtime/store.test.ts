/** The engine's store in PostgreSQL keeps the rules that the engine and its model rely on. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import t from 'tap'
import { PostgresStore } from '../../runtime/commit/postgres_store.ts'
import { openDatabase } from '../../storage/mod.ts'
import { type Owner, plainQuery, sharedServers, TEST_SECRET, testDatabaseUrl } from '../support/mod.ts'
import { type Row, type StoreServer, storeConformance } from './store_conformance.ts'

storeConformance(t, async (t: Owner): Promise<StoreServer> => {
  const url = await testDatabaseUrl(t)
  const admin_url = (await sharedServers()).database_url
  return {
    async store() {
      const database = await openDatabase({ url, secret: TEST_SECRET, pool_size: 6 })
      t.teardown(() => database.close())
      return new PostgresStore(database)
    },
    async hold(row, mode) {
      const session = new pg.Client({ connectionString: url })
      session.on('error', () => {})
      await session.connect()
      t.teardown(() => session.end())
      const { rowCount } = await session
        .query(`begin; ${select(row)} for ${mode}`)
        .then((results) => [results].flat()[1]!)
      if (rowCount !== 1) throw new Error(`no such row: ${JSON.stringify(row)}`)
      return async () => {
        await session.query('rollback')
      }
    },
    async queued(sessions) {
      const name = new URL(url).pathname.slice(1)
      const query = `select pid from pg_stat_activity where datname = '${name}' and wait_event_type = 'Lock'`
      while ((await plainQuery(admin_url, query)).length < sessions) await sleep(10)
    },
    pass: (ms) => sleep(ms),
    done: (work) => work,
    async readOnly(yes) {
      const name = new URL(url).pathname.slice(1)
      await plainQuery(admin_url, `alter database ${name} set default_transaction_read_only = ${yes ? 'on' : 'off'}`)
      await plainQuery(
        admin_url,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`,
      )
      await sleep(100)
    },
  }
})

function select(row: Row): string {
  if ('partition' in row) return `select from partition where id = ${row.partition}`
  if ('lane' in row) return `select from lane where source = ${row.lane}`
  if ('node' in row) return `select from node where id = '${row.node}'`
  if ('outbox' in row) return `select from outbox where (partition, source, number) = (${row.outbox.join()})`
  if ('timer' in row) return `select from timer where (address, name) = ('${row.timer.join("','")}')`
  return `select from actor_state where address = '${row.state}'`
}
