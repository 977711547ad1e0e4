/**
 * The API process of the usual stack. It checks token, rate and body, inserts the message, adds a job and answers 202.
 * It also takes the provider's callbacks: it moves statuses forward, and inserts received messages and adds a job for
 * the customer's receiver.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { ObjectId } from 'bson'
import { Queue } from 'bullmq'
import fastify from 'fastify'
import pg from 'pg'
import { offer } from '../servers/remote.ts'
import type { StackConfig } from './stack.ts'

const TABLE = `
  create table message (
    id text collate "C" primary key, project_id text not null, channel text not null, channel_id text not null,
    direction text not null, "to" text, type text not null, message json not null, meta_data json, status text not null,
    provider_message_id text, error json, created_at timestamptz(3) not null default now(), sent_at timestamptz(3),
    delivered_at timestamptz(3), read_at timestamptz(3), failed_at timestamptz(3),
    updated_at timestamptz(3) not null default now());
  create index on message (project_id, id desc);
  create unique index on message (channel_id, provider_message_id) where provider_message_id is not null`
const INSERT = `
  insert into message (id, project_id, channel, channel_id, direction, "to", type, message, meta_data, status)
  values ($1, $2, $3, $4, 'outbound', $5, $6, $7, $8, 'queued')`
const RECEIVE = `
  insert into message (id, project_id, channel, channel_id, direction, "to", type, message, provider_message_id, status)
  values ($1, $2, 'whatsapp', $3, 'inbound', $4, $5, $6, $7, 'received')
  on conflict (channel_id, provider_message_id) where provider_message_id is not null do nothing`
const ADVANCE = `
  update message set status = $2, updated_at = now(),
    sent_at = case when $2 = 'sent' then to_timestamp($3) else sent_at end,
    delivered_at = case when $2 = 'delivered' then to_timestamp($3) else delivered_at end
  where id = $1 and array_position(array['queued', 'sent', 'delivered', 'read'], status)
    < array_position(array['queued', 'sent', 'delivered', 'read'], $2)`

const BODY = {
  type: 'object',
  required: ['channel', 'to', 'message'],
  additionalProperties: false,
  properties: {
    channel: { type: 'string', enum: ['whatsapp'] },
    to: { type: 'string', pattern: '^\\+[1-9]\\d{6,14}$' },
    message: {
      type: 'object',
      required: ['type', 'body'],
      properties: { type: { type: 'string', const: 'text' }, body: { type: 'string', maxLength: 4096 } },
    },
    meta_data: { type: 'object' },
  },
}

type Send = { channel: string; to: string; message: { type: string; body: string }; meta_data?: object }
type Status = { status: string; timestamp: string; biz_opaque_callback_data?: string }
type Received = { id: string; from: string; type: string; text: object }
type Callback = { entry: { changes: { value: { statuses?: Status[]; messages?: Received[] } }[] }[] }

let port: number

offer({
  async start({ database_url, redis_port, token, credentials }: StackConfig) {
    const pool = new pg.Pool({ connectionString: database_url, max: 20 })
    await pool.query(TABLE)
    const connection = { host: '127.0.0.1', port: redis_port, maxRetriesPerRequest: null }
    const jobs = { removeOnComplete: true, attempts: 5, backoff: { type: 'exponential', delay: 1000 } }
    const queue = new Queue('send', { connection, defaultJobOptions: jobs })
    const project_id = new ObjectId().toHexString()
    const tokens = new Map([[hashOf(token), { project_id }]])
    const windows = new Map<string, number>()
    const channel_id = new ObjectId().toHexString()
    const receive = async ({ id: provider_message_id, from, type, text }: Received) => {
      const id = `msg_${new ObjectId().toHexString()}`
      const row = [id, project_id, channel_id, from, type, text, provider_message_id]
      const { rowCount } = await pool.query({ name: 'receive', text: RECEIVE, values: row })
      if (rowCount === 0) return
      const data = { id, channel: 'whatsapp', channel_id, direction: 'inbound', from: `+${from}`, type, message: text }
      await queue.add('deliver', { id, key: project_id, created_at: new Date().toISOString(), data })
    }
    const app = fastify()
    app.post<{ Body: Send }>('/v1/messages', { schema: { body: BODY } }, async (request, reply) => {
      const identity = tokens.get(hashOf(request.headers.authorization?.slice(7) ?? ''))
      if (!identity) return reply.code(401).send({ message: 'Unauthorized', error: 'Unauthorized', statusCode: 401 })
      for (const window of ['minute', 'hour', 'day']) {
        const count = (windows.get(window) ?? 0) + 1
        windows.set(window, count)
        reply.header(`X-RateLimit-Remaining-${window}`, 1_000_000_000 - count)
      }
      const { channel, to, message, meta_data } = request.body
      const id = `msg_${new ObjectId().toHexString()}`
      const values = [id, identity.project_id, channel, channel_id, to, message.type, message, meta_data]
      await pool.query({ name: 'insert', text: INSERT, values })
      await queue.add('send', { id, to, message })
      const created_at = new Date().toISOString()
      return reply
        .code(202)
        .send({ id, status: 'queued', channel, channel_id, to, type: message.type, created_at, warnings: [] })
    })
    await app.register(async (webhooks) => {
      webhooks.removeAllContentTypeParsers()
      webhooks.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
      webhooks.post<{ Body: Buffer }>('/webhooks/whatsapp', async (request, reply) => {
        const signature = `sha256=${createHmac('sha256', credentials.app_secret).update(request.body).digest('hex')}`
        const given = String(request.headers['x-hub-signature-256'])
        if (given.length !== signature.length || !timingSafeEqual(Buffer.from(given), Buffer.from(signature))) {
          return reply.code(403).send()
        }
        const callback = JSON.parse(request.body.toString()) as Callback
        const values = callback.entry.flatMap(({ changes }) => changes.map(({ value }) => value))
        for (const { status, timestamp, biz_opaque_callback_data: id } of values.flatMap(
          (value) => value.statuses ?? [],
        )) {
          await pool.query({ name: 'advance', text: ADVANCE, values: [id, status, Number(timestamp)] })
        }
        for (const message of values.flatMap((value) => value.messages ?? [])) await receive(message)
        return reply.code(200).send()
      })
    })
    port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
  },
  port: () => port,
})

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}
