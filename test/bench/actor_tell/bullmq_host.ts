/** BullMQ: a job per operation, and a worker that counts in the same Redis. Jobs of one key are not ordered. */
import { type Job, Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { lineServer } from '../load/line_server.ts'
import { offer } from '../servers/remote.ts'

let redis: Redis
let port: number

offer({
  async start({ redis_port, concurrency }: { redis_port: number; concurrency: number }) {
    const connection = { host: '127.0.0.1', port: redis_port, maxRetriesPerRequest: null }
    redis = new Redis(connection)
    const queue = new Queue('counter', {
      connection,
      defaultJobOptions: { removeOnComplete: true, removeOnFail: 1000 },
    })
    const waiting = new Map<string, PromiseWithResolvers<void>>()
    const worker = new Worker('counter', async (job: Job) => redis.hincrby('counter', job.data.key, 1), {
      connection,
      concurrency,
    })
    worker.on('completed', (job) => waiting.get(job.data.id)?.resolve())
    worker.on('failed', (job, error) => waiting.get(job?.data.id)?.reject(error))
    await worker.waitUntilReady()
    let last = 0
    port = await lineServer(async (key, payload) => {
      const id = String(++last)
      const done = Promise.withResolvers<void>()
      waiting.set(id, done)
      await queue.add('add', { id, key, event: JSON.parse(payload) })
      await done.promise.finally(() => waiting.delete(id))
    })
  },
  port: () => port,
  stored: async () => Object.values(await redis.hgetall('counter')).reduce((sum, count) => sum + Number(count), 0),
})
