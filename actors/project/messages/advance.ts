/**
 * The status of outbound messages: applies the channel's outcomes and the provider's status callbacks, in any order.
 *
 *  S1 A status that names our id is applied at once, and proves that the provider has the message.
 *  S2 A status under a provider's id that no message has yet is stored, and applied when a message gets that id.
 *  S3 A watermark is stored with each message that is still queued, and applied when the provider's answer is known.
 *     It covers the messages that the provider can have taken by then, by the provider's clock alone (`taken_after`). A
 *     message created after the watermark arrived is never covered, whatever any clock says.
 *
 * Its price follows from the same statuses (`costs/charge.ts`).
 */
import { Message, type MessageStatus } from '../../../storage/mod.ts'
import { nextMessageStatus } from '../../machines/mod.ts'
import type { InboundStatus } from '../../providers/mod.ts'
import { outcomeWarnings } from '../../records/mod.ts'
import { chargeMessage, pricePatch } from '../costs/charge.ts'
import { takeByMessage } from '../threads/taken.ts'
import { failReply } from '../tickets/reply_failed.ts'
import { emit, messageEvent, productOf } from '../turn/events.ts'
import type { ProjectChannel } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import type { ProviderFailure } from './outcomes.ts'
import { keepMessage } from './reads.ts'
import { reportToBroadcast } from './report_to_broadcast.ts'

type Reported = 'sent' | 'delivered' | 'read' | 'failed'

const STAMP = { sent: 'sent_at', delivered: 'delivered_at', read: 'read_at', failed: 'failed_at' } as const

/** Moves a message forward, stores the time of each reported status, and emits an event for a real change. */
export function advance(
  turn: ProjectTurn,
  row: Message,
  change: {
    to: Reported
    at: Date
    provider_message_id?: string | null
    error?: ProviderFailure | null
    raw?: object | null
    taken_after?: number | undefined
    confirmed?: boolean | undefined
    pricing?: InboundStatus['pricing']
  },
): void {
  const patch: Partial<Message> = {}
  const before = row.status
  const status = nextMessageStatus(row.status as Exclude<MessageStatus, 'received'>, change.to)
  const moved = status !== row.status
  if (moved) patch.status = status
  const stamp = STAMP[change.to]
  // A failure that came too late to count sets no failed_at, because the message has not failed.
  if (!row[stamp] && (moved || change.to !== 'failed')) patch[stamp] = inOrder(row, change.to, change.at)
  if (change.provider_message_id && !row.provider_message_id) patch.provider_message_id = change.provider_message_id
  if (change.taken_after !== undefined && !row.taken_after) patch.taken_after = new Date(change.taken_after)
  if (moved && change.error) patch.error = change.error
  const confirmed = change.confirmed ?? true
  if (confirmed !== row.confirmed && (confirmed || moved)) patch.confirmed = confirmed
  Object.assign(patch, pricePatch(turn, row, change, moved))
  if (Object.keys(patch).length === 0) return
  patch.updated_at = turn.now
  Object.assign(row, patch)
  keepMessage(turn.records, row)
  turn.update(Message, { id: row.id }, patch)
  const charged = patch.charged_at ? chargeMessage(turn, row) : undefined
  if (moved || charged) reportToBroadcast(turn, row, before, charged)
  if (!moved) return
  if (status === 'failed') failReply(turn, row)
  else if (before === 'queued' && row.takes_thread && confirmed) takeByMessage(turn, row)
  emitStatus(turn, row, change)
}

/** Emits the event of the message's status. `said`: the contents that belong to it, of a message that nobody sent here. */
export function emitStatus(
  turn: ProjectTurn,
  row: Message,
  change: { at: Date; error?: ProviderFailure | null; raw?: object | null },
  said: { contacts?: unknown; messages?: unknown; imported?: true } = {},
): void {
  const { status, channel_id, chat_user, meta_data, origin, confirmed } = row
  const data = {
    messaging_product: productOf(row.channel),
    metadata: metadataOf(turn.state.channels.get(channel_id)),
    ...said,
    statuses: [withOwnData(row, change.raw ?? madeUpStatus(row, status, change))],
    channel_id,
    chat_user,
    message_id: row.id,
    meta_data: meta_data ?? null,
    origin: origin ?? null,
    confirmed,
    warnings: outcomeWarnings(row),
  }
  emit(turn, messageEvent(row.channel, status), data, chat_user ?? null)
}

const ORDER = ['created_at', 'sent_at', 'delivered_at', 'read_at'] as const

/** Providers report whole seconds, and late. The times of a message are kept in the order of its statuses. */
function inOrder(row: Message, state: Reported, at: Date): Date {
  if (state === 'failed') {
    const before = row.sent_at ?? row.created_at
    return at < before ? before : at
  }
  const place = ORDER.indexOf(STAMP[state])
  let time = at
  for (const earlier of ORDER.slice(0, place)) if (row[earlier] && row[earlier] > time) time = row[earlier]
  for (const later of ORDER.slice(place + 1)) if (row[later] && row[later] < time) time = row[later]
  return time
}

function metadataOf(channel: ProjectChannel | undefined): object {
  return channel?.channel_type === 'whatsapp' ? { phone_number_id: channel.provider_account_id } : {}
}

/**
 * A status in the provider's format, for a change that the provider reported in its answer rather than by a callback.
 */
function madeUpStatus(row: Message, status: string, change: { at: Date; error?: ProviderFailure | null }): object {
  return {
    id: row.provider_message_id ?? row.id,
    status,
    timestamp: String(Math.floor(change.at.getTime() / 1000)),
    recipient_id: (row.to ?? '').replace(/^\+/, ''),
    biz_opaque_callback_data: row.id,
    ...(change.error && {
      errors: [
        {
          code: numeric(change.error.code),
          title: change.error.message,
          error_data: { details: change.error.message },
        },
      ],
    }),
  }
}

/** Restores a raw send's own value of the field, which carries our id on the wire. */
function withOwnData({ message: { biz_opaque_callback_data } }: Message, said: object): object {
  return biz_opaque_callback_data === undefined ? said : { ...said, biz_opaque_callback_data }
}

function numeric(code: string): number | string {
  return /^\d+$/.test(code) ? Number(code) : code
}
