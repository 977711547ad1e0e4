/** The way the peers post: usual code on undici, with the same headers, signatures and connections as ours. */
import { createHmac } from 'node:crypto'
import { Pool } from 'undici'
import { EVENT_TYPE, SECRET, TOTAL_CONCURRENCY } from './shape.ts'

/** The input of a peer for one delivery: the parsed event, and its id. */
export type Job = { id: string; key: string; created_at: string; data: unknown }

/** The record of a delivery that a peer stores. */
export type Posted = { status: number; duration_ms: number }

const KEY = Buffer.from(SECRET.slice('whsec_'.length), 'base64')

/** Posts a signed event to the sink. Resolves to the answer, whatever the status. */
export function poster(sink_port: number): (job: Job) => Promise<Posted> {
  const pool = new Pool(`http://127.0.0.1:${sink_port}`, { connections: TOTAL_CONCURRENCY, pipelining: 1 })
  return async ({ id, key, created_at, data }) => {
    const event_id = `evt_${id}`
    const body = JSON.stringify({ id: event_id, type: EVENT_TYPE, created_at, project_id: key, data })
    const timestamp = Math.floor(Date.now() / 1000)
    const own = createHmac('sha256', SECRET).update(`${timestamp}.${body}`).digest('hex')
    const standard = createHmac('sha256', KEY).update(`${event_id}.${timestamp}.${body}`).digest('base64')
    const from = performance.now()
    const response = await pool.request({
      path: `/hook/${key}`,
      method: 'POST',
      body,
      signal: AbortSignal.timeout(15_000),
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Bench/1',
        'x-svc-event': EVENT_TYPE,
        'x-svc-delivery': `dlv_${id}`,
        'x-svc-attempt': '1',
        'x-svc-signature': `t=${timestamp},v1=${own}`,
        'webhook-id': event_id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': `v1,${standard}`,
      },
    })
    await response.body.text()
    return { status: response.statusCode, duration_ms: Math.round(performance.now() - from) }
  }
}
