/** Conversations that another app of the business answers: the calls of the provider, and what the API shows. */
import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { callWhatsApp } from '../inputs/channel_calls.ts'
import type { Json } from './client.ts'
import { made, type Tenant, type World } from './fixture.ts'

let last = 0

export const person = () => `1555${String(process.pid).slice(-3).padStart(3, '0')}${String(++last).padStart(4, '0')}`

export const seconds = (ago = 0) => Math.floor(Date.now() / 1000) - ago

export const text = (body: string) => ({ type: 'text', text: { body } })

const metadataOf = ({ phone_number_id }: Tenant['number']) => ({ display_phone_number: '15550001111', phone_number_id })

export const taken = async (t: Test, call: Promise<{ status: number }>) => t.equal((await call).status, 200)

export const contactOf = async ({ api }: Tenant, phone: string): Promise<Json> =>
  (await made(api('GET', `contacts?phone=%2B${phone}`))).data[0]

export const messagesOf = async ({ api }: Tenant, contact: Json): Promise<Json[]> =>
  (await made(api('GET', `messages?chat_user=${contact._id}`))).data.toReversed()

export const ticketsOf = async ({ api }: Tenant): Promise<Json[]> => (await made(api('GET', 'crm/tickets'))).data

export const eventsOf = async ({ api }: Tenant, ticket_id: string): Promise<Json[]> =>
  (await made(api('GET', `crm/tickets/${ticket_id}/timeline`))).data.filter(({ kind }: Json) => kind === 'event')

/** Calls of Meta about the conversations of a number, as other programs have recorded them. */
export function threadCallsOf(world: World) {
  function onStandby(tenant: Tenant, standby: Json) {
    const value = { messaging_product: 'whatsapp', metadata: metadataOf(tenant.number), standby }
    return callWhatsApp(world, tenant.number, 'standby', value)
  }

  const writes = (tenant: Tenant, from: string, body: string, at = seconds(), id = `wamid.${randomUUID()}`) =>
    onStandby(tenant, {
      contacts: [{ wa_id: from, profile: { name: 'Ana' } }],
      messages: [{ from, id, timestamp: String(at), ...text(body) }],
    })

  const answers = (tenant: Tenant, to: string, message: Json, at = seconds(), id = `wamid.${randomUUID()}`) =>
    onStandby(tenant, {
      message_echoes: [
        {
          id,
          timestamp: String(at),
          message: { messaging_product: 'whatsapp', recipient_type: 'individual', to, recipient: to, ...message },
        },
      ],
    })

  function handsOver(
    tenant: Tenant,
    from: string,
    type: 'control_passed' | 'control_taken',
    said: Json,
    at = seconds(),
  ) {
    const value = {
      messaging_product: 'whatsapp',
      recipient: metadataOf(tenant.number),
      sender: { phone_number: from },
      timestamp: String(at),
      type,
      [type]: said,
    }
    return callWhatsApp(world, tenant.number, 'messaging_handovers', value)
  }
  return { onStandby, writes, answers, handsOver }
}
