/** graphile-worker: a job per operation in the key's named queue, so that a key's jobs run one after another. */
import { Logger, makeWorkerUtils, type Runner, type RunnerOptions, run, type WorkerUtils } from 'graphile-worker'
import pg from 'pg'
import { lineServer } from '../load/line_server.ts'
import { offer } from '../servers/remote.ts'

type Add = { id: string; key: string }
type Config = { url: string; concurrency: number; connections: number; preset?: RunnerOptions['preset'] }

const COUNT =
  'insert into counter (key, count) values ($1, 1) on conflict (key) do update set count = counter.count + 1'

const waiting = new Map<string, () => void>()
let config: Config
let pool: pg.Pool
let utils: WorkerUtils
let port: number
let runner: Runner

offer({
  async start(given: Config) {
    config = given
    pool = new pg.Pool({ connectionString: config.url, max: config.connections })
    pool.on('error', () => {})
    utils = await makeWorkerUtils({ pgPool: pool })
    await utils.migrate()
    await pool.query('create table counter (key text primary key, count bigint not null)')
    port = await lineServer(add)
  },
  port: () => port,
  stored: async () => Number((await pool.query('select coalesce(sum(count), 0) as sum from counter')).rows[0].sum),
  async wake() {
    runner = await run({
      pgPool: pool,
      concurrency: config.concurrency,
      noHandleSignals: true,
      // A worker that finds a busy queue locked sleeps this long. The default of 2 s leaves one hot queue idle.
      pollInterval: 10,
      logger: new Logger(() => () => {}),
      preset: config.preset,
      taskList: { add: async (payload, { query }) => void (await query(COUNT, [(payload as Add).key])) },
    })
    runner.events.on('job:success', ({ job }) => {
      const { id } = job.payload as Add
      waiting.get(id)?.()
      waiting.delete(id)
    })
  },
  rest: () => runner.stop(),
})

let last = 0

async function add(key: string, payload: string): Promise<void> {
  const id = String(++last)
  const { promise, resolve } = Promise.withResolvers<void>()
  waiting.set(id, resolve)
  await utils.addJob('add', { id, key, event: JSON.parse(payload) }, { queueName: key })
  await promise
}
