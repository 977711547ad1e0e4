/** Bulk sends and their recipients as the API shows them. */
import * as v from 'valibot'
import type { Broadcast, ListedRecipient } from '../../../storage/mod.ts'
import { type InMemory, idPattern, named, recordId, timestamp, valuesOf } from '../../schema/mod.ts'
import { exampleIds as ids } from '../example_ids.ts'

const count = v.pipe(v.number(), v.integer(), v.minValue(0))

const broadcastColumns = v.object({
  id: v.pipe(v.string(), v.regex(idPattern('brd'))),
  status: v.picklist(['queued', 'sending', 'completed', 'failed', 'cancelled']),
  campaign_name: v.nullable(v.string()),
  user_id: v.pipe(v.nullable(recordId), v.description('The agent who sent it in the console; null for a token')),
  sender_name: v.pipe(
    v.nullable(v.string()),
    v.description(
      'The name of the agent or the token that sent it, as it was then; null for sends of earlier releases',
    ),
  ),
  template_name: v.string(),
  language: v.string(),
  channel_id: recordId,
  total: v.pipe(count, v.description('Sum of the five counts, which do not overlap')),
  pending_count: count,
  sent_count: count,
  delivered_count: count,
  read_count: count,
  failed_count: count,
  paused_reason: v.pipe(
    v.nullable(v.picklist(['marketing_cap_reached'])),
    v.description('Why it waits: the project has spent or reserved its `monthly_marketing_cap`'),
  ),
  created_at: timestamp,
  started_at: v.nullable(timestamp),
  completed_at: v.nullable(timestamp),
  updated_at: timestamp,
})

const cost = v.pipe(
  v.nullable(v.object({ amount: v.number(), currency: v.string() })),
  v.description('Sum of its charged messages, by the rates of the operator; null without any'),
)

export const broadcastRecord = named('Broadcast', v.object({ ...broadcastColumns.entries, cost }))

export type BroadcastRecord = InMemory<v.InferOutput<typeof broadcastRecord>>

export function toBroadcastRecord(broadcast: Broadcast): BroadcastRecord {
  const { cost, cost_currency: currency } = broadcast
  return {
    ...valuesOf(broadcastColumns, broadcast),
    cost: cost == null || !currency ? null : { amount: Number(cost), currency },
  }
}

/** `updated_at` is null until the recipient is taken up. */
const recipientColumns = v.object({
  index: v.pipe(count, v.description('Position in the request, from 0')),
  phone: v.string(),
  status: v.picklist(['pending', 'sent', 'delivered', 'read', 'failed']),
  message_id: v.nullable(v.string()),
  error: v.nullable(v.looseObject({ code: v.unknown(), message: v.unknown() })),
  updated_at: v.nullable(timestamp),
  chat_user: v.pipe(v.nullable(recordId), v.description('The contact; null until there is a message to it')),
  chat_user_name: v.nullable(v.string()),
})

export const recipientRecord = named('BroadcastRecipient', recipientColumns)

export function toRecipientRecord(recipient: ListedRecipient): InMemory<v.InferOutput<typeof recipientRecord>> {
  return valuesOf(recipientColumns, recipient)
}

export const broadcastExample: v.InferOutput<typeof broadcastRecord> = {
  id: ids.broadcast,
  status: 'completed',
  campaign_name: 'Autumn sale',
  user_id: null,
  sender_name: 'Shop',
  template_name: 'order_update',
  language: 'en_US',
  channel_id: ids.channel,
  total: 100,
  pending_count: 0,
  sent_count: 8,
  delivered_count: 60,
  read_count: 30,
  failed_count: 2,
  paused_reason: null,
  created_at: '2026-09-21T14:00:00.000Z',
  started_at: '2026-09-21T14:00:01.000Z',
  completed_at: '2026-09-21T14:13:20.000Z',
  updated_at: '2026-09-21T14:13:20.000Z',
  cost: { amount: 2.7, currency: 'USD' },
}
