/**
 * The requests of both ways. The text of each carries the number of its operation, by which the far end knows it again.
 */
import { createHmac } from 'node:crypto'
import { CREDENTIALS } from '../send/provider.ts'

/** Customers who write in turn, so that rounds measure people the peers know and not first contacts. */
export const CUSTOMERS = 100

/** The signed POST at the customer's receiver follows a provider's callback. */
export const INBOUND = 'callback to receiver'

/** The provider's call follows a request to the API. */
export const OUTBOUND = 'request to provider'

/** Returns the callback of the provider for a text that a customer wrote, as Meta posts it. */
export function callbackOf(n: number): string {
  const from = `4917100${String(n % CUSTOMERS).padStart(5, '0')}`
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '15550100001', phone_number_id: CREDENTIALS.phone_number_id },
    contacts: [{ profile: { name: 'Ana' }, wa_id: from }],
    messages: [
      {
        from,
        id: `wamid.${Buffer.from(`${process.pid} ${n}`).toString('base64url')}`,
        timestamp: String(Math.floor(Date.now() / 1000)),
        type: 'text',
        text: { body: `Hello, where is my order A-${n}? It was to arrive yesterday between 9 and 12.` },
      },
    ],
  }
  const entry = [{ id: CREDENTIALS.business_account_id, changes: [{ field: 'messages', value }] }]
  return JSON.stringify({ object: 'whatsapp_business_account', entry })
}

/** Returns the header with which Meta signs a callback. */
export function signatureOf(callback: string): Record<string, string> {
  const digest = createHmac('sha256', CREDENTIALS.app_secret).update(callback).digest('hex')
  return { 'X-Hub-Signature-256': `sha256=${digest}` }
}

/** Returns the body of POST /v1/messages, to a recipient of its own. */
export function sendOf(n: number): string {
  const body = `Your order A-${n} left our warehouse this morning and arrives tomorrow between 9 and 12.`
  const message = { type: 'text', body }
  return JSON.stringify({ channel: 'whatsapp', to: `+49170${n}`, message, meta_data: { campaign: 'autumn' } })
}

/** Returns the number of the operation that a body at the far end belongs to. NaN when it has none. */
export function numberOf(body: string): number {
  return Number(/order A-(\d+)/.exec(body)?.[1] ?? Number.NaN)
}
