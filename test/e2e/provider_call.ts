/** The webhook of a WhatsApp number, called as its provider does, with messages and statuses of the test's own. */
import { createHmac, randomUUID } from 'node:crypto'
import type { Answer, Client, Json } from './client.ts'
import type { Tenant } from './fixture.ts'

export type ProviderCall = {
  /** Each is a text `Hi` of now with an id of its own, unless it says otherwise. `from` is the number in digits. */
  messages?: Json[]
  contacts?: Json[]
  /** Each is of now, unless it says otherwise. */
  statuses?: Json[]
  /** Another field of the webhook than `messages`, with what its value has beside the usual. */
  field?: string
  value?: Json
}

/** One call brings as many messages as it likes. They are answered together, and stored in their order. */
export function callAsProvider(
  { http, base_url }: { http: Client; base_url: string },
  number: Tenant['number'],
  { messages = [], contacts = [], statuses = [], field = 'messages', value: beside = {} }: ProviderCall,
): Promise<Answer> {
  const metadata = { display_phone_number: '15557831000', phone_number_id: number.phone_number_id }
  const timestamp = String(Math.floor(Date.now() / 1000))
  const said = messages.map((one) => ({
    id: `wamid.${randomUUID()}`,
    timestamp,
    type: 'text',
    text: { body: 'Hi' },
    ...one,
  }))
  const reported = statuses.map((one) => ({ timestamp, ...one }))
  const value = { messaging_product: 'whatsapp', metadata, contacts, messages: said, statuses: reported, ...beside }
  const entry = [{ id: number.business_account_id, changes: [{ field, value }] }]
  const raw = JSON.stringify({ object: 'whatsapp_business_account', entry })
  const signature = `sha256=${createHmac('sha256', number.app_secret).update(raw).digest('hex')}`
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature }
  return http('POST', `${base_url}/providers/whatsapp/${number.channel_id}`, { raw, headers })
}
