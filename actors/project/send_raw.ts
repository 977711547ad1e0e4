/** POST /v1/messages/raw: a body of WhatsApp's Cloud API, passed on as it is, on the way that every send takes. */
import { prefixedId } from '../../storage/mod.ts'
import type { Providers } from '../providers/mod.ts'
import { pickCloudChannel } from './cloud_channel.ts'
import { ensureContact } from './contacts.ts'
import type { ProjectTurn } from './events.ts'
import type { CommandResult } from './request.ts'
import { accepted, expectRoom, queueMessage, warningsFor } from './send_message.ts'
import { personOf } from './wants.ts'

export type RawPayload = {
  messaging_product: 'whatsapp'
  type: string
  /** A phone number, or in `recipient` a business-scoped user id. */
  to?: string | undefined
  recipient?: string | undefined
  context?: { message_id?: unknown } | undefined
  [node: string]: unknown
}

export type SendRaw = {
  type: 'send_raw'
  channel_id?: string | undefined
  phone_number_id?: string | undefined
  payload: RawPayload
}

/**
 * The provider is given our id as `biz_opaque_callback_data`, whatever the payload says: a send in doubt is proven by it.
 * What the payload says there is kept with the message and put back into its status events.
 */
export function sendRaw(
  turn: ProjectTurn,
  { type: _, payload, ...choice }: SendRaw,
  providers: Providers,
): CommandResult {
  const channel = pickCloudChannel(turn.state.channels.values(), choice)
  const provider = providers.of(channel)!
  const to = payload.to ?? payload.recipient!
  expectRoom(turn, channel)
  const contact = ensureContact(turn, channel, personOf('whatsapp', to))
  const id = prefixedId('msg')
  const quoted = payload.context?.message_id
  const context = typeof quoted === 'string' ? { message_id: quoted } : null
  const request = { ...payload, biz_opaque_callback_data: id }
  const row = queueMessage(turn, channel, contact, { id, to, message: payload, context, meta_data: null }, request)
  return { body: accepted(row, warningsFor(turn, provider, channel, contact, payload)) }
}
