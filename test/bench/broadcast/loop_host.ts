/**
 * The loop: 64 calls at once, each followed by an INSERT of its result. The loop keeps no record of its unfinished
 * work: when it dies, nobody knows who has got the message.
 */
import { ObjectId } from 'bson'
import pLimit from 'p-limit'
import pg from 'pg'
import { Agent, request } from 'undici'
import { offer } from '../servers/remote.ts'
import { type Recipient, TEMPLATE } from './campaign.ts'
import type { LoopConfig } from './loop.ts'

const CONCURRENCY = 64
const TABLE = `
  create table message (
    id text collate "C" primary key, "to" text not null, type text not null, message json not null, status text not null,
    provider_message_id text, error json, created_at timestamptz(3) not null default now(), sent_at timestamptz(3))`
const INSERT = `
  insert into message (id, "to", type, message, status, provider_message_id, error, sent_at)
  values ($1, $2, 'template', $3, $4, $5, $6, case when $4 = 'sent' then clock_timestamp() end)`

type Answer = { messages?: { id: string }[]; error?: object }

let send: (recipient: Recipient) => Promise<void>

offer({
  async start({ database_url, provider_url, credentials }: LoopConfig) {
    const pool = new pg.Pool({ connectionString: database_url, max: 20 })
    await pool.query(TABLE)
    const dispatcher = new Agent({ connections: CONCURRENCY })
    const url = `${provider_url}/v25.0/${credentials.phone_number_id}/messages`
    const headers = { authorization: `Bearer ${credentials.access_token}`, 'content-type': 'application/json' }
    send = async ({ phone, variables }) => {
      const id = `msg_${new ObjectId().toHexString()}`
      const parameters = Object.values(variables).map((text) => ({ type: 'text', text }))
      const template = {
        name: TEMPLATE.name,
        language: { code: TEMPLATE.language },
        components: [{ type: 'body', parameters }],
      }
      const body = {
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        to: phone.slice(1),
        type: 'template',
        template,
        biz_opaque_callback_data: id,
      }
      const response = await request(url, { method: 'POST', dispatcher, headers, body: JSON.stringify(body) })
      const { messages, error } = (await response.body.json()) as Answer
      const status = messages ? 'sent' : 'failed'
      const values = [id, phone, template, status, messages?.[0]?.id, error]
      await pool.query({ name: 'insert', text: INSERT, values })
    }
  },
  async send(recipients: Recipient[]) {
    const limit = pLimit(CONCURRENCY)
    await Promise.all(recipients.map((recipient) => limit(() => send(recipient))))
  },
})
