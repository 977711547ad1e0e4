/** BullMQ: a job per delivery, and a worker that posts it. The completed job with its result stays in Redis. */
import { type Job, Queue, Worker } from 'bullmq'
import { lineServer } from '../load/line_server.ts'
import { offer } from '../servers/remote.ts'
import { type Job as Delivery, poster } from './poster.ts'
import { TOTAL_CONCURRENCY } from './shape.ts'

let queue: Queue
let port: number

offer({
  async start({ redis_port, sink_port }: { redis_port: number; sink_port: number }) {
    const post = poster(sink_port)
    const connection = { host: '127.0.0.1', port: redis_port, maxRetriesPerRequest: null }
    const jobs = { attempts: 5, backoff: { type: 'exponential', delay: 5000 } }
    queue = new Queue('deliver', { connection, defaultJobOptions: jobs })
    const waiting = new Map<string, PromiseWithResolvers<void>>()
    const work = async ({ data }: Job<Delivery>) => {
      const posted = await post(data)
      if (posted.status !== 200) throw new Error(`the sink said ${posted.status}`)
      return posted
    }
    const worker = new Worker('deliver', work, { connection, concurrency: TOTAL_CONCURRENCY })
    worker.on('completed', (job) => waiting.get(job.data.id)?.resolve())
    worker.on('failed', (job, error) => waiting.get(job?.data.id ?? '')?.reject(error))
    await worker.waitUntilReady()
    let last = 0
    port = await lineServer(async (key, payload) => {
      const id = String(++last)
      const done = Promise.withResolvers<void>()
      waiting.set(id, done)
      const delivery: Delivery = { id, key, created_at: new Date().toISOString(), data: JSON.parse(payload) }
      await queue.add('deliver', delivery)
      await done.promise.finally(() => waiting.delete(id))
    })
  },
  port: () => port,
  stored: () => queue.getCompletedCount(),
})
