/** graphile-worker: a job per delivery, and a task that posts it and inserts the result. */
import { Logger, makeWorkerUtils, type Runner, run, type WorkerUtils } from 'graphile-worker'
import pg from 'pg'
import { lineServer } from '../load/line_server.ts'
import { offer } from '../servers/remote.ts'
import { type Job, poster } from './poster.ts'
import { TOTAL_CONCURRENCY } from './shape.ts'

type Config = { url: string; sink_port: number }

const TABLE = `create table delivery (
  id text primary key, target text not null, event json not null, status text not null, status_code int,
  duration_ms int, delivered_at timestamptz not null default now())`
const INSERT = `insert into delivery (id, target, event, status, status_code, duration_ms)
  values ($1, $2, $3, 'success', $4, $5)`

const waiting = new Map<string, () => void>()
let pool: pg.Pool
let utils: WorkerUtils
let port: number
let runner: Runner
let post: ReturnType<typeof poster>

offer({
  async start({ url, sink_port }: Config) {
    post = poster(sink_port)
    pool = new pg.Pool({ connectionString: url, max: 20 })
    pool.on('error', () => {})
    utils = await makeWorkerUtils({ pgPool: pool })
    await utils.migrate()
    await pool.query(TABLE)
    port = await lineServer(add)
  },
  port: () => port,
  stored: async () =>
    Number((await pool.query("select count(*) from delivery where status = 'success'")).rows[0].count),
  async wake() {
    runner = await run({
      pgPool: pool,
      concurrency: TOTAL_CONCURRENCY,
      noHandleSignals: true,
      pollInterval: 10,
      logger: new Logger(() => () => {}),
      preset: { worker: { localQueue: { size: TOTAL_CONCURRENCY }, completeJobBatchDelay: 0 } },
      taskList: { deliver },
    })
    runner.events.on('job:success', ({ job }) => {
      const { id } = job.payload as Job
      waiting.get(id)?.()
      waiting.delete(id)
    })
  },
  rest: () => runner.stop(),
})

async function deliver(payload: unknown): Promise<void> {
  const job = payload as Job
  const { status, duration_ms } = await post(job)
  if (status !== 200) throw new Error(`the sink said ${status}`)
  const values = [job.id, job.key, JSON.stringify(job.data), status, duration_ms]
  await pool.query({ name: 'delivered', text: INSERT, values })
}

let last = 0

async function add(key: string, payload: string): Promise<void> {
  const job: Job = { id: String(++last), key, created_at: new Date().toISOString(), data: JSON.parse(payload) }
  const { promise, resolve } = Promise.withResolvers<void>()
  waiting.set(job.id, resolve)
  await utils.addJob('deliver', job)
  await promise
}
