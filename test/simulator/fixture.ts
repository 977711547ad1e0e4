import type { Test } from 'tap'
import { type SimulatorOptions, startSimulator } from '../../http/simulator/mod.ts'
import { type Json, type Receiver, startReceiver } from './receiver.ts'

export const NUMBER = {
  phone_number_id: '106540352242922',
  display_phone_number: '+1 555 783 8813',
  business_account_id: '102290129340398',
  access_token: 'EAAsimulatedToken',
  app_secret: 'a-secret-of-the-app',
  verify_token: 'a-token-to-verify',
}

export const PERSON = '15557654321'

export type Reply = { status: number; body: Json; headers: Headers }

export type Fixture = {
  url: string
  receiver: Receiver
  /** Makes a Graph call with the bearer of the number. The path starts after the version. */
  graph(method: string, path: string, body?: unknown): Promise<Reply>
  control(method: string, path: string, body?: unknown): Promise<Reply>
  /** Sends a message with `fields` over a plain text one. */
  send(to: string, fields?: Json): Promise<Reply>
  close(): Promise<void>
}

/** Statuses follow each other fast and in order. */
const FAST = { sent_ms: 1, delivered_ms: 15, read_ms: 30 }

/** Starts a simulator with one number and its webhook receiver. Both end with the test. */
export async function fixture(t: Test, options: Partial<SimulatorOptions> = {}): Promise<Fixture> {
  const receiver = await startReceiver(NUMBER.verify_token)
  const simulator = await startSimulator({
    numbers: [{ ...NUMBER, webhook_url: receiver.url }],
    ...options,
    statuses: { ...FAST, ...options.statuses },
    // The simulator makes one call at a time, so the receiver sees callbacks in order, however busy the machine is.
    webhooks: { retry_base_ms: 20, in_flight: 1, ...options.webhooks },
  })
  const close = async () => {
    await simulator.close()
    await receiver.close()
  }
  t.teardown(close)
  const call = async (method: string, url: string, body: unknown, headers: Record<string, string>): Promise<Reply> => {
    const payload = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(url, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...payload,
    })
    const text = await response.text()
    const json = response.headers.get('content-type')?.includes('json')
    return { status: response.status, body: json ? JSON.parse(text) : text, headers: response.headers }
  }
  const graph: Fixture['graph'] = (method, path, body) =>
    call(method, `${simulator.url}/v25.0/${path}`, body, { authorization: `Bearer ${NUMBER.access_token}` })
  return {
    url: simulator.url,
    receiver,
    graph,
    control: (method, path, body) => call(method, `${simulator.url}/_control/${path}`, body, {}),
    send: (to, fields = {}) => {
      const text = { type: 'text', text: { body: 'Hello' } }
      return graph('POST', `${NUMBER.phone_number_id}/messages`, {
        messaging_product: 'whatsapp',
        to,
        ...text,
        ...fields,
      })
    },
    close,
  }
}

/** Returns the id of the message that an accepted send made. */
export function sentId(reply: Reply): string {
  return reply.body.messages[0].id
}
