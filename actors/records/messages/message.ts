/** The message as the API shows it, and the answer to its sending. */
import * as v from 'valibot'
import { channelTypes, type Message, messageOrigins } from '../../../storage/mod.ts'
import { type InMemory, idPattern, named, recordId, timestamp, valuesOf } from '../../schema/mod.ts'

const anyObject = v.record(v.string(), v.unknown())

/** Columns that the record shows as they are stored. */
const messageColumns = v.object({
  id: v.pipe(v.string(), v.regex(idPattern('msg'))),
  status: v.picklist(['queued', 'sent', 'delivered', 'read', 'failed', 'received']),
  direction: v.picklist(['inbound', 'outbound']),
  channel: v.picklist(channelTypes),
  channel_id: recordId,
  to: v.nullable(v.string()),
  from: v.nullable(v.string()),
  origin: v.pipe(
    v.nullable(v.picklist(messageOrigins)),
    v.description(
      'Where the business wrote it, if not through Parley: on its phone, in the app of the provider, by an agent of Meta, in a mail program',
    ),
  ),
  assistant_id: v.pipe(v.nullable(recordId), v.description('The assistant whose answer it is')),
  chat_user: v.nullable(recordId),
  type: v.string(),
  message: anyObject,
  context: v.nullable(anyObject),
  meta_data: v.nullable(anyObject),
  provider_message_id: v.nullable(v.string()),
  error: v.nullable(v.looseObject({ code: v.unknown(), message: v.unknown() })),
  confirmed: v.pipe(
    v.boolean(),
    v.description('False for a `sent` message that the provider may have taken without saying so'),
  ),
  created_at: timestamp,
  sent_at: v.nullable(timestamp),
  delivered_at: v.nullable(timestamp),
  read_at: v.nullable(timestamp),
  failed_at: v.nullable(timestamp),
  edited_at: v.pipe(
    v.nullable(timestamp),
    v.description('When its author last changed it; `message` is the new content'),
  ),
  deleted_at: v.pipe(v.nullable(timestamp), v.description('When its author withdrew it; `message` has no content')),
  imported_at: v.pipe(
    v.nullable(timestamp),
    v.description(
      'When it was imported from the history of a phone, where `created_at` is its original time. Null for messages that came when they were written',
    ),
  ),
  price: v.pipe(
    v.nullable(
      v.object({
        amount: v.pipe(v.nullable(v.number()), v.description('By the rates of the operator; null without one')),
        currency: v.nullable(v.string()),
        category: v.pipe(v.string(), v.description('As the provider says: `marketing`, `utility`, `service`, …')),
        billable: v.pipe(v.boolean(), v.description('False for a message that the provider does not charge')),
      }),
    ),
    v.description('What the provider charges for it; null until the provider says so'),
  ),
  retry_of: v.pipe(v.nullable(v.string()), v.description('The message that this one repeats')),
  retried_as: v.pipe(v.nullable(v.string()), v.description('The message that repeats this one')),
  request_id: v.pipe(
    v.nullable(v.string()),
    v.description(
      'The request from which it came: that of the client, or the callback of the provider. Null for what Parley does by itself',
    ),
  ),
  updated_at: timestamp,
})

/** Warnings beside an acceptance, or about what became of a message. */
export const warnings = v.array(v.looseObject({ code: v.string(), message: v.string() }))

export const messageRecord = named(
  'Message',
  v.object({
    ...messageColumns.entries,
    warnings: v.pipe(warnings, v.description('`OUTCOME_UNKNOWN` for a message that is not confirmed, or none')),
  }),
)

type MessageRecord = InMemory<v.InferOutput<typeof messageRecord>>

/** The answer to a send. */
export const acceptedMessage = named(
  'AcceptedMessage',
  v.object({
    ...v.pick(messageColumns, ['id', 'channel', 'channel_id', 'type', 'created_at']).entries,
    status: v.literal('queued'),
    to: v.string(),
    chat_user: recordId,
    warnings,
  }),
)

const OUTCOME_UNKNOWN = {
  code: 'OUTCOME_UNKNOWN',
  message: 'The provider may have taken this message and never said so. Sending it again may reach the person twice.',
}

/** Warnings about what became of a message. */
export function outcomeWarnings({ confirmed }: Pick<Message, 'confirmed'>): { code: string; message: string }[] {
  return confirmed ? [] : [OUTCOME_UNKNOWN]
}

export function toMessageRecord(message: Message): MessageRecord {
  return { ...valuesOf(messageColumns, message), warnings: outcomeWarnings(message) }
}
