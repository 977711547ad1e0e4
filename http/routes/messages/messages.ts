/** Sending messages and reading their status. */
import * as v from 'valibot'
import {
  acceptedMessage,
  BSUID,
  channelTypes,
  checkCarried,
  dictionary,
  E164,
  type ErrorCode,
  idPattern,
  maxCharacters,
  messageRecord,
  messageTypesOf,
  minCharacters,
  named,
  recordId,
  timestamp,
  toMessageRecord,
  whatsAppIdExpected,
} from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { findMessage, findWaiting, listMessages } from '../../../storage/mod.ts'
import { pageOfRecords } from '../../server/route/page_of_records.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { cursor, limit, pageOf } from '../../server/schema/fields.ts'
import { inOrder, range } from '../../server/schema/instant.ts'
import { messageId } from '../message_types/bounds.ts'
import { message as outboundMessage } from '../message_types/mod.ts'

const outbound = named(
  'OutboundMessage',
  v.pipe(
    v.strictObject({
      channel: v.pipe(v.picklist(channelTypes), v.description(whatGoesWhere())),
      to: v.pipe(v.string(), minCharacters(1), maxCharacters(256)),
      message: outboundMessage,
      context: v.optional(v.strictObject({ message_id: messageId })),
      channel_id: v.optional(recordId),
      meta_data: v.optional(dictionary(v.unknown())),
    }),
    v.forward(
      v.partialCheck(
        [['channel'], ['to']],
        ({ channel, to }) => channel !== 'whatsapp' || E164.test(withPlus(to)) || BSUID.test(to),
        `must be ${whatsAppIdExpected}`,
      ),
      ['to'],
    ),
    v.transform((send) => (send.channel === 'whatsapp' ? { ...send, to: withPlus(send.to) } : send)),
  ),
)

/** Adds the `+` that WhatsApp leaves out, so that `from` of a received message can be used as `to`. */
function withPlus(to: string): string {
  return to.replace(/^(?=\d)/, '+')
}

/** The table of capabilities in words. */
function whatGoesWhere(): string {
  const lists = channelTypes.map((channel) => `${channel}: ${messageTypesOf(channel).join(', ') || 'nothing'}`)
  return `Message types of each channel. ${lists.join('; ')}.`
}

const { id, status, direction } = messageRecord.entries

/** The reason why a message is still `queued`. */
const waiting = v.object({
  attempts: v.number(),
  next_attempt_at: v.nullable(timestamp),
  error: v.nullable(v.object({ code: v.string(), message: v.string() })),
  behind: v.nullable(v.pipe(id, v.description('The message to the same recipient that is sent first'))),
})

/** The refusals of a send. */
export const sendErrors: ErrorCode[] = [
  'MESSAGE_TYPE_NOT_SUPPORTED_FOR_CHANNEL',
  'MESSAGE_NOT_ACCEPTED_BY_CHANNEL',
  'CHANNEL_REQUIRED',
  'CHANNEL_NOT_CONNECTED',
  'CHANNEL_NOT_FOUND',
  'MESSAGE_NOT_FOUND',
  'MESSAGE_NOT_SENT_YET',
  'TEMPLATE_NOT_FOUND',
  'TEMPLATE_VARIABLE_INVALID',
  'TEMPLATE_VARIABLE_MISSING',
  'TEMPLATE_FLOW_BUTTON_MISSING',
  'FLOW_NOT_REGISTERED',
  'MEDIA_NOT_FOUND',
  'MEDIA_NOT_ACCEPTED',
]

export const messageRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/v1/messages',
    operation: 'send_message',
    example: { body: { channel: 'whatsapp', to: '+15550180000', message: { type: 'text', body: 'Hello' } } },
    summary: 'Send a message; the answer comes once it is stored, and sending follows',
    auth: 'token',
    scope: 'messages:write',
    body: outbound,
    status: 202,
    response: acceptedMessage,
    errors: [...sendErrors, 'MARKETING_CAP_REACHED'],
    command({ body }) {
      const send = body
      checkCarried(send.channel, send.message)
      return { type: 'send_message', ...send }
    },
  }),
  route({
    method: 'GET',
    path: '/v1/messages',
    operation: 'list_messages',
    summary: 'List messages in both directions, newest first; since and until are about created_at',
    auth: 'token',
    scope: 'messages:read',
    query: v.pipe(
      v.strictObject({
        chat_user: v.optional(recordId),
        channel: v.optional(v.picklist(channelTypes)),
        direction: v.optional(direction),
        status: v.optional(status),
        ...range,
        limit,
        cursor: cursor('msg'),
      }),
      inOrder(),
    ),
    status: 200,
    response: pageOf(messageRecord),
    async read({ query: { limit, cursor, ...filter } }, { database, project_id }) {
      return pageOfRecords(await listMessages(database, project_id, filter, { limit, cursor }), toMessageRecord)
    },
  }),
  route({
    method: 'GET',
    path: '/v1/messages/:id',
    operation: 'get_message',
    summary: 'Get one message with its status',
    auth: 'token',
    scope: 'messages:read',
    params: { id: idPattern('msg') },
    status: 200,
    response: v.object({ ...messageRecord.entries, waiting: v.nullable(waiting) }),
    errors: ['NOT_FOUND'],
    async read({ params }, { database, project_id }) {
      const found = await findMessage(database, project_id, params.id)
      if (!found) throw new Refusal('NOT_FOUND')
      const waiting = found.status === 'queued' ? await findWaiting(database, found.id) : undefined
      return { ...toMessageRecord(found), waiting: waiting ?? null }
    },
  }),
]
