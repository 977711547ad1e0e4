/** POST /v1/messages/raw: sends a body of WhatsApp's Cloud API unchanged, queued like every other send. */
import { prefixedId } from '../../../storage/mod.ts'
import { pickCloudChannel } from '../channels/cloud_channel.ts'
import { ensureContact } from '../contacts/contact.ts'
import { ownAddressOf, personOf } from '../contacts/identity.ts'
import { wantPerson } from '../contacts/person_reads.ts'
import { reservationFor, wantBudget } from '../costs/reserve.ts'
import { wantTemplateIn } from '../templates/template_facts.ts'
import type { Command } from '../turn/feature.ts'
import { queued, warningsFor } from './accepted.ts'
import { expectRoom, queueMessage } from './queue_message.ts'

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
 * Sends our id as `biz_opaque_callback_data`, whatever the payload has there, because the id resolves a send in doubt.
 * The payload's own value is stored with the message and put back into its status events.
 */
export const sendRaw = {
  reads(reads, { channel_id, payload }) {
    wantPerson(reads, 'whatsapp', payload.to ?? payload.recipient!, channel_id)
    wantTemplateIn(reads, 'whatsapp', payload)
    wantBudget(reads, payload)
  },
  run(turn, { type: _, payload, ...choice }, { providers }) {
    const channel = pickCloudChannel(turn.state.channels.values(), choice)
    const provider = providers.of(channel)!
    const person = personOf('whatsapp', payload.to ?? payload.recipient!)
    const user_id = person.user_id ?? person.bsuid!
    const to = ownAddressOf({ channel_type: 'whatsapp', user_id, bsuid: person.bsuid })
    expectRoom(turn, channel)
    const reserved = reservationFor(turn, channel.id, person.user_id ?? person.bsuid!, payload)
    const contact = ensureContact(turn, channel, person)
    const id = prefixedId('msg')
    const quoted = payload.context?.message_id
    const context = typeof quoted === 'string' ? { message_id: quoted } : null
    const request = { ...payload, biz_opaque_callback_data: id }
    const content = { id, to, message: payload, context, meta_data: null, reserved }
    const row = queueMessage(turn, channel, contact, content, request)
    return { body: queued(row, warningsFor(turn, provider, channel, contact, payload)) }
  },
} satisfies Command<SendRaw>
