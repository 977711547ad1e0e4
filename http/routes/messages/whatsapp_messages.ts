/** Message operations of WhatsApp's Cloud API alone: mark as read, and send a body unchanged. */
import * as v from 'valibot'
import {
  acceptedMessage,
  across,
  BSUID,
  buildRead,
  exampleIds,
  fieldsOf,
  maxCharacters,
  minCharacters,
  recordId,
  type WhatsAppClient,
} from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { type Database, findReference, type Message } from '../../../storage/mod.ts'
import type { Operation, Outcome } from '../../server/changes/operation.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { isRefusal, openCloudChannel, throwFailure } from '../cloud_channel.ts'
import { messageId } from '../message_types/bounds.ts'

const writes = { auth: 'token', scope: 'messages:write' } as const

const channelErrors = [
  'CHANNEL_NOT_CONNECTED',
  'CHANNEL_NOT_FOUND',
  'CHANNEL_REQUIRED',
  'OPERATION_NOT_SUPPORTED_FOR_CHANNEL',
] as const

const phone = v.pipe(
  v.string(),
  v.regex(/^\+?[1-9]\d{6,14}$/, 'must be a phone number, with or without +, such as 5215512345678'),
)
const bsuid = v.pipe(v.string(), v.regex(BSUID, 'must be a business-scoped user id such as US.13491208655302741918'))

/** Only the recipient and the type are checked here; the provider checks the rest. */
const payload = v.pipe(
  v.looseObject({
    messaging_product: v.optional(v.literal('whatsapp'), 'whatsapp'),
    recipient_type: v.optional(v.literal('individual')),
    type: v.pipe(v.string(), v.regex(/^[a-z_]{1,64}$/, 'must be the type of a message, such as text')),
    to: v.optional(phone),
    recipient: v.optional(bsuid),
    biz_opaque_callback_data: v.optional(v.pipe(v.string(), minCharacters(1), maxCharacters(512))),
    status: v.optional(v.never('is not for messages; use POST /v1/messages/mark-read')),
  }),
  across(
    (value, say) => {
      const { to, recipient } = fieldsOf(value)
      if ((to === undefined) !== (recipient === undefined)) return
      say('must say who gets it: give either to (a phone number) or recipient (a business-scoped user id)', ['to'])
    },
    { exactly_one_of: ['to', 'recipient'] },
  ),
)

export function whatsappMessageRoutes(whatsapp: WhatsAppClient): Route[] {
  return [
    route({
      ...writes,
      method: 'POST',
      path: '/v1/messages/mark-read',
      operation: 'mark_message_read',
      example: { body: { message_id: exampleIds.inbound_message, typing_indicator: { type: 'text' } } },
      summary: 'Mark a received WhatsApp message as read, with a typing indicator on request',
      body: v.strictObject({
        message_id: messageId,
        typing_indicator: v.optional(v.strictObject({ type: v.literal('text') })),
      }),
      status: 200,
      response: v.object({ success: v.literal(true) }),
      errors: [
        'MESSAGE_NOT_FOUND',
        'OPERATION_NOT_SUPPORTED_FOR_CHANNEL',
        'CHANNEL_NOT_CONNECTED',
        'CHANNEL_NOT_FOUND',
        'PROVIDER_REFUSED',
        'WHATSAPP_UPSTREAM_ERROR',
      ],
      outside: true,
      act: ({ body }, context, operation) => markRead(whatsapp, context, body, operation),
    }),
    route({
      ...writes,
      method: 'POST',
      path: '/v1/messages/raw',
      operation: 'send_raw_message',
      example: { body: { payload: { to: '15550180000', type: 'text', text: { body: 'Hello' } } } },
      summary: "Send a body of WhatsApp's Cloud API unchanged, queued like every other send",
      body: v.strictObject({
        channel_id: v.optional(recordId),
        phone_number_id: v.optional(
          v.pipe(v.string(), v.regex(/^[\w.-]{1,100}$/, "must be the provider's id of a number")),
        ),
        payload,
      }),
      status: 202,
      response: acceptedMessage,
      errors: [...channelErrors, 'MARKETING_CAP_REACHED'],
      command: ({ body }) => ({ type: 'send_raw', ...body }),
    }),
  ]
}

type Read = { message_id: string; typing_indicator?: { type: 'text' } }

/** Repeating it has no further effect, so an earlier request in doubt does not matter. */
async function markRead(
  whatsapp: WhatsAppClient,
  where: { database: Database; project_id: string },
  { message_id, typing_indicator }: Read,
  { deadline }: Operation,
): Promise<Outcome> {
  const message = await received(where, message_id)
  const { credentials } = await openCloudChannel(where, { channel_id: message.channel_id })
  const request = buildRead(message.provider_message_id!, typing_indicator)
  const signal = AbortSignal.timeout(Math.ceil(Math.max(1, deadline - performance.now())))
  const outcome = await whatsapp.send(credentials, request, signal)
  if (!('failure' in outcome)) {
    const { chat_user, id: message_id } = message
    const changes = chat_user ? [{ type: 'read_messages' as const, chat_user, message_id }] : []
    return { changes, answer: { body: { success: true } } }
  }
  // The message is stored here, so the provider has forgotten it: it forgets messages after 30 days.
  if (isRefusal(outcome.failure) && outcome.failure.code === '131009') {
    throw new Refusal('MESSAGE_NOT_FOUND', { message: outcome.failure.message, details: { message_id } })
  }
  throwFailure(outcome.failure)
}

/** @throws {Refusal} MESSAGE_NOT_FOUND when the project has received no such message */
async function received(
  { database, project_id }: { database: Database; project_id: string },
  id: string,
): Promise<Message> {
  const message = await findReference(database, project_id, id)
  if (message?.direction === 'inbound') return message
  const text = message ? 'Only a received message can be marked as read.' : undefined
  throw new Refusal('MESSAGE_NOT_FOUND', { ...(text && { message: text }), details: { message_id: id } })
}
