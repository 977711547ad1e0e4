/**
 * The worker process of the usual stack. It calls the provider for each job and stores the answer, or posts a received
 * message, signed, to the customer's receiver.
 */
import { type Job, Worker } from 'bullmq'
import pg from 'pg'
import { Agent, request } from 'undici'
import { type Job as Delivery, poster } from '../deliver/poster.ts'
import { offer } from '../servers/remote.ts'
import type { StackConfig } from './stack.ts'

const CONCURRENCY = 64
const STORE = `
  update message set provider_message_id = $2, updated_at = now(), sent_at = coalesce(sent_at, now()),
    status = case when status = 'queued' then 'sent' else status end where id = $1`

type Send = { id: string; to: string; message: { body: string } }
type Accepted = { messages: { id: string }[] }

offer({
  async start({ database_url, redis_port, provider_url, receiver_port, credentials }: StackConfig) {
    const pool = new pg.Pool({ connectionString: database_url, max: 20 })
    const dispatcher = new Agent({ connections: CONCURRENCY })
    const connection = { host: '127.0.0.1', port: redis_port, maxRetriesPerRequest: null }
    const url = `${provider_url}/v25.0/${credentials.phone_number_id}/messages`
    const headers = { authorization: `Bearer ${credentials.access_token}`, 'content-type': 'application/json' }
    const send = async ({ data }: Job<Send>) => {
      const response = await request(url, {
        method: 'POST',
        dispatcher,
        headers,
        body: JSON.stringify({
          messaging_product: 'whatsapp',
          recipient_type: 'individual',
          to: data.to.slice(1),
          type: 'text',
          text: { body: data.message.body },
          biz_opaque_callback_data: data.id,
        }),
      })
      const answer = (await response.body.json()) as Accepted
      if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${JSON.stringify(answer)}`)
      await pool.query({ name: 'store', text: STORE, values: [data.id, answer.messages[0]?.id] })
    }
    const post = receiver_port === undefined ? undefined : poster(receiver_port)
    const deliver = async ({ data }: Job<Delivery>) => {
      const { status } = await post!(data)
      if (status !== 200) throw new Error(`the receiver said ${status}`)
    }
    const work = (job: Job) => (job.name === 'deliver' ? deliver(job) : send(job))
    await new Worker('send', work, { connection, concurrency: CONCURRENCY }).waitUntilReady()
  },
})
