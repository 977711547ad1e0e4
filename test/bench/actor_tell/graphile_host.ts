/** graphile-worker: a job per operation in the key's named queue, so that a key's jobs run one after another. */
import { Logger, makeWorkerUtils, type RunnerOptions, run } from 'graphile-worker'
import pg from 'pg'
import { lineServer } from '../load/line_server.ts'
import { offer } from '../servers/remote.ts'

let pool: pg.Pool
let port: number

type Add = { id: string; key: string }
type Config = { url: string; concurrency: number; connections: number; preset?: RunnerOptions['preset'] }

offer({
  async start({ url, concurrency, connections, preset }: Config) {
    pool = new pg.Pool({ connectionString: url, max: connections })
    pool.on('error', () => {})
    const utils = await makeWorkerUtils({ pgPool: pool })
    await utils.migrate()
    await pool.query('create table counter (key text primary key, count bigint not null)')
    const waiting = new Map<string, () => void>()
    const runner = await run({
      pgPool: pool,
      concurrency,
      noHandleSignals: true,
      // A worker that finds a busy queue locked sleeps for this long: the default of 2 s leaves one hot queue idle.
      pollInterval: 10,
      logger: new Logger(() => () => {}),
      preset,
      taskList: {
        add: async (payload, helpers) => {
          await helpers.query(
            'insert into counter (key, count) values ($1, 1) on conflict (key) do update set count = counter.count + 1',
            [(payload as Add).key],
          )
        },
      },
    })
    runner.events.on('job:success', ({ job }) => {
      const { id } = job.payload as Add
      waiting.get(id)?.()
      waiting.delete(id)
    })
    let last = 0
    port = await lineServer(async (key, payload) => {
      const id = String(++last)
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.set(id, resolve)
      await utils.addJob('add', { id, key, event: JSON.parse(payload) }, { queueName: key })
      await promise
    })
  },
  port: () => port,
  stored: async () => Number((await pool.query('select coalesce(sum(count), 0) as sum from counter')).rows[0].sum),
})
