/** What becomes of outbound messages: the channel's outcome and the provider's status callbacks, in whatever order. */
import { Message, type MessageStatus } from '../../storage/mod.ts'
import { nextMessageStatus } from '../machines/mod.ts'
import { reportToBroadcast } from './broadcasts.ts'
import { emit, messageEvent, type ProjectTurn } from './events.ts'
import type { Said } from './inbound_call.ts'
import type { AcceptedMessage, ProviderFailure, RefusedMessage } from './protocol.ts'
import { keepMessage, providerKey } from './records.ts'
import type { ProjectChannel } from './state.ts'
import { watermarkKey } from './wants.ts'

type Reported = 'sent' | 'delivered' | 'read' | 'failed'

const STAMP = { sent: 'sent_at', delivered: 'delivered_at', read: 'read_at', failed: 'failed_at' } as const

/** Moves a message forward, stamps the time of each state it is told of, and emits an event for a real change. */
function advance(
  turn: ProjectTurn,
  row: Message,
  change: {
    to: Reported
    at: Date
    provider_message_id?: string | null
    error?: ProviderFailure | null
    raw?: object | null
  },
): void {
  const patch: Partial<Message> = {}
  const before = row.status
  const status = nextMessageStatus(row.status as Exclude<MessageStatus, 'received'>, change.to)
  const moved = status !== row.status
  if (moved) patch.status = status
  const stamp = STAMP[change.to]
  // A failure that came too late to count leaves no failed_at: the message is not failed.
  if (!row[stamp] && (moved || change.to !== 'failed')) patch[stamp] = inOrder(row, change.to, change.at)
  if (change.provider_message_id && !row.provider_message_id) patch.provider_message_id = change.provider_message_id
  if (moved && change.error) patch.error = change.error
  if (Object.keys(patch).length === 0) return
  patch.updated_at = turn.now
  Object.assign(row, patch)
  keepMessage(turn.records, row)
  turn.update(Message, { id: row.id }, patch)
  if (!moved) return
  reportToBroadcast(turn, row, before)
  const channel = turn.state.channels.get(row.channel_id)
  const data = {
    messaging_product: row.channel,
    metadata: metadataOf(channel),
    statuses: [withOwnData(row, change.raw ?? madeUpStatus(row, status, change))],
    channel_id: row.channel_id,
    chat_user: row.chat_user,
    message_id: row.id,
  }
  emit(turn, messageEvent(row.channel, status), data, row.chat_user ?? null)
}

const ORDER = ['created_at', 'sent_at', 'delivered_at', 'read_at'] as const

/** Providers tell whole seconds, and late: the times of a message are kept in the order of its states. */
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

/** A status in the provider's shape, for a change that the provider told in its answer rather than by a callback. */
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

/** On the wire that field is our id; a raw send gets back what it had there itself. */
function withOwnData({ message: { biz_opaque_callback_data } }: Message, said: object): object {
  return biz_opaque_callback_data === undefined ? said : { ...said, biz_opaque_callback_data }
}

function numeric(code: string): number | string {
  return /^\d+$/.test(code) ? Number(code) : code
}

export function messagesAccepted(turn: ProjectTurn, { items }: { items: AcceptedMessage[] }): void {
  for (const { message_id, provider_message_id, at } of items) {
    const row = turn.records.messages.get(message_id)
    if (row) advance(turn, row, { to: 'sent', at: new Date(at), provider_message_id })
  }
}

export function messagesRefused(turn: ProjectTurn, { items }: { items: RefusedMessage[] }): void {
  for (const { message_id, error, at } of items) {
    const row = turn.records.messages.get(message_id)
    if (row) advance(turn, row, { to: 'failed', at: new Date(at), error })
  }
}

/**
 * A status callback. The opaque data is our own id, so a status is understood even before the provider's id is known.
 * Some providers tell a moment instead, up to which a person has received or read everything.
 */
export function statusReported(turn: ProjectTurn, { channel, item }: Said<'status'>): void {
  const { messages, before } = turn.records
  const { status: to, provider_message_id, opaque, error, raw, at, up_to } = item
  if (up_to) {
    for (const { id } of before.get(watermarkKey(channel.id, up_to)) ?? []) advance(turn, messages.get(id)!, { to, at })
    return
  }
  const own = opaque ? messages.get(opaque) : undefined
  const row = own ?? (provider_message_id ? messages.get(providerKey(channel.id, provider_message_id)) : undefined)
  if (row?.direction !== 'outbound' || row.channel_id !== channel.id) return
  if (row.status === 'queued') {
    // The channel may not have seen the answer (a crash, a lost connection): this is the proof that it was sent.
    turn.tell(`channel/${row.channel_id}`, { type: 'confirmed', message_id: row.id, provider_message_id })
  }
  advance(turn, row, { to, at, provider_message_id, error, raw })
}
