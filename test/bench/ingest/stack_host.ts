/**
 * The usual stack: it checks token and body, counts the request in Redis, records the event in one transaction, adds a
 * job for webhooks, and answers 201.
 */
import { createHash } from 'node:crypto'
import { ObjectId } from 'bson'
import { Queue } from 'bullmq'
import fastify from 'fastify'
import { Redis } from 'ioredis'
import pg from 'pg'
import { offer } from '../servers/remote.ts'
import { EVENT_TYPE, FIELDS } from './shape.ts'

export type StackConfig = {
  database_url: string
  redis_port: number
  /** True when the stack adds the job. */
  jobs: boolean
  /** The projects by token. */
  projects: [token: string, project_id: string][]
}

const FIND = `
  select c._id as contact, t._id as ticket from contact c left join ticket t on t.chat_user = c._id and not t.is_closed
  where c._id = $1 and c.project_id = $2`
const INSERT = `
  insert into crm_event (_id, company_id, project_id, event_type, data, ticket_id, chat_user, idempotency_key, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  on conflict (company_id, idempotency_key) where idempotency_key is not null do nothing returning _id`
const TOUCH = `
  insert into ticket_activity (ticket_id, last_activity_at) values ($1, $2)
  on conflict (ticket_id) do update set last_activity_at = excluded.last_activity_at`

const json = {
  string: { type: 'string', nullable: true },
  number: { type: 'number', nullable: true },
  boolean: { type: 'boolean', nullable: true },
  date: { type: 'string', format: 'date-time', nullable: true },
  'string[]': { type: 'array', items: { type: 'string' }, nullable: true },
}

const BODY = {
  type: 'object',
  required: ['event_type', 'data', 'chat_user_id'],
  additionalProperties: false,
  properties: {
    event_type: { type: 'string', const: EVENT_TYPE },
    data: {
      type: 'object',
      required: FIELDS.filter(({ required }) => required).map(({ key }) => key),
      properties: Object.fromEntries(FIELDS.map(({ key, type }) => [key, json[type as keyof typeof json]])),
    },
    chat_user_id: { type: 'string', pattern: '^[0-9a-f]{24}$' },
    idempotency_key: { type: 'string', minLength: 1, maxLength: 200 },
  },
}

type Ingest = { event_type: string; data: object; chat_user_id: string; idempotency_key?: string }

const LIMIT = 1_000_000_000
let port: number

offer({
  async start({ database_url, redis_port, jobs, projects }: StackConfig) {
    const pool = new pg.Pool({ connectionString: database_url, max: 20 })
    const connection = { host: '127.0.0.1', port: redis_port, maxRetriesPerRequest: null }
    const redis = new Redis(connection)
    // Old jobs would fill the memory; a worker removes them.
    const queue = new Queue('webhook', { connection, defaultJobOptions: { removeOnComplete: true, attempts: 5 } })
    const tokens = new Map(projects.map(([token, project_id]) => [hashOf(token), project_id]))
    const company_id = new ObjectId().toHexString()
    const app = fastify()
    app.post<{ Body: Ingest }>('/v1/crm/events', { schema: { body: BODY } }, async (request, reply) => {
      const project_id = tokens.get(hashOf(request.headers.authorization?.slice(7) ?? ''))
      if (!project_id) return reply.code(401).send({ message: 'Unauthorized', error: 'Unauthorized', statusCode: 401 })
      const window = `ingest:${project_id}`
      const counted = await redis.multi().incr(window).expire(window, 60, 'NX').exec()
      const count = Number(counted![0]![1])
      if (count > LIMIT) return reply.code(429).send({ error: { code: 'THROTTLED', message: 'Too many' } })
      reply.header('X-RateLimit-Limit-ingest', LIMIT)
      reply.header('X-RateLimit-Remaining-ingest', LIMIT - count)
      const { event_type, data, chat_user_id, idempotency_key = null } = request.body
      const created_at = new Date()
      const _id = new ObjectId().toHexString()
      const client = await pool.connect()
      let ticket_id: string
      try {
        await client.query('begin')
        const found = await client.query({ name: 'find', text: FIND, values: [chat_user_id, project_id] })
        ticket_id = found.rows[0]?.ticket
        if (!ticket_id) throw new Error('no contact, or no ticket')
        const row = [
          _id,
          company_id,
          project_id,
          event_type,
          data,
          ticket_id,
          chat_user_id,
          idempotency_key,
          created_at,
        ]
        await client.query({ name: 'insert', text: INSERT, values: row })
        await client.query({ name: 'touch', text: TOUCH, values: [ticket_id, created_at] })
        await client.query('commit')
      } catch (error) {
        await client.query('rollback')
        throw error
      } finally {
        client.release()
      }
      const event = { _id, event_type, data, ticket_id, chat_user: chat_user_id, created_at }
      if (jobs) await queue.add('webhook', { type: 'crm.event.recorded', project_id, event })
      return reply.code(201).send({ event, duplicated: false })
    })
    port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
  },
  port: () => port,
})

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}
