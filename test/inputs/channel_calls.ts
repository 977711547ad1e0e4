/** Webhook calls of WhatsApp about any field, and what the check of a channel says of them. */
import { createHmac } from 'node:crypto'
import type { Answer, Json } from '../e2e/client.ts'
import { made, type Outside, type Tenant } from '../e2e/fixture.ts'

/** One call with a change of this field, and `more` changes. */
export function callWhatsApp(
  { http, base_url }: Pick<Outside, 'http' | 'base_url'>,
  { business_account_id, app_secret, channel_id }: Tenant['number'],
  field: string,
  value: Json,
  more: Json[] = [],
): Promise<Answer> {
  const entry = [{ id: business_account_id, changes: [{ field, value }, ...more] }]
  const raw = JSON.stringify({ object: 'whatsapp_business_account', entry })
  const signature = `sha256=${createHmac('sha256', app_secret).update(raw).digest('hex')}`
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature }
  return http('POST', `${base_url}/providers/whatsapp/${channel_id}`, { raw, headers })
}

export function checkOf({ operator }: Pick<Outside, 'operator'>, channel_id: string): Promise<Json> {
  return made(operator('POST', `channels/${channel_id}/check`))
}
