/**
 * The lives of outbound messages: the channel's outcome and the provider's status callbacks, in whatever order.
 *
 *  S1 A status that names our id is applied at once, and proves that the provider has the message.
 *  S2 A status under a provider's id that no message has yet is kept, and applied when a message gets that id.
 *  S3 A watermark is kept with each message that is still queued, and applied when the provider's answer is known. It
 *     covers the messages that the provider can have taken by then, by the provider's clock alone (`taken_after`). A
 *     message that was made after the watermark arrived is never covered, whatever any clock says.
 */
import { EarlyStatus, Message, type MessageStatus } from '../../storage/mod.ts'
import { nextMessageStatus } from '../machines/mod.ts'
import type { InboundStatus, Providers } from '../providers/mod.ts'
import { reportToBroadcast } from './broadcasts.ts'
import { emit, messageEvent, type ProjectTurn } from './events.ts'
import type { Said } from './inbound_call.ts'
import type { AcceptedMessage, ProviderFailure, RefusedMessage } from './protocol.ts'
import { keepEarly, keepMessage, providerKey } from './records.ts'
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
    taken_after?: number | undefined
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
  if (change.taken_after !== undefined && !row.taken_after) patch.taken_after = new Date(change.taken_after)
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
    meta_data: row.meta_data ?? null,
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
  for (const { message_id, provider_message_id, at, taken_after } of items) {
    const row = turn.records.messages.get(message_id)
    if (!row) continue
    advance(turn, row, { to: 'sent', at: new Date(at), provider_message_id, taken_after })
    applyWatermarks(turn, row)
    applyEarly(turn, row)
  }
}

/** Applies the watermarks that came before the provider's answer was known here. */
function applyWatermarks(turn: ProjectTurn, row: Message): void {
  const { watermarks } = row
  if (!watermarks) return
  for (const to of ['delivered', 'read'] as const) {
    const at = new Date(watermarks[to] ?? Number.NaN)
    if (isCovered(row, at)) advance(turn, row, { to, at })
  }
  row.watermarks = null
  turn.update(Message, { id: row.id }, { watermarks: null })
}

/** Only the provider's clock compares with its watermarks. Nodes of a version that did not note it leave our own time. */
function isCovered({ status, taken_after, created_at }: Message, watermark: Date): boolean {
  return status !== 'failed' && (taken_after ?? created_at) <= watermark
}

const EARLIEST_FIRST = ['sent', 'delivered', 'read', 'failed'] as const

function applyEarly(turn: ProjectTurn, row: Message): void {
  const { early } = turn.records
  if (early.size === 0 || !row.provider_message_id) return
  const key = providerKey(row.channel_id, row.provider_message_id)
  const statuses = early.get(key) ?? []
  for (const to of EARLIEST_FIRST) {
    const said = statuses.find(({ status }) => status === to)
    if (!said) continue
    advance(turn, row, { to, at: said.at, error: said.error ?? null, raw: said.raw ?? null })
    const { channel_id, provider_message_id, status } = said
    turn.remove(EarlyStatus, { channel_id, provider_message_id, status })
  }
  early.delete(key)
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
export function statusReported(turn: ProjectTurn, { channel, item }: Said<'status'>, providers: Providers): void {
  const { messages } = turn.records
  const { status: to, provider_message_id, opaque, error, raw, at, up_to } = item
  if (up_to) {
    watermarkReported(turn, channel, item)
    return
  }
  const own = opaque ? messages.get(opaque) : undefined
  const row = own ?? (provider_message_id ? messages.get(providerKey(channel.id, provider_message_id)) : undefined)
  if (!row && !opaque && providers.of(channel)?.early_statuses) keepForLater(turn, channel, item)
  if (row?.direction !== 'outbound' || row.channel_id !== channel.id) return
  if (row.status === 'queued') {
    // The channel may not have seen the answer (a crash, a lost connection): this is the proof that it was sent.
    turn.tell(`channel/${row.channel_id}`, { type: 'confirmed', message_id: row.id, provider_message_id })
  }
  advance(turn, row, { to, at, provider_message_id, error, raw })
}

function watermarkReported(turn: ProjectTurn, channel: ProjectChannel, { status, at, up_to }: InboundStatus): void {
  const to = status as 'delivered' | 'read'
  for (const row of turn.records.unread.get(watermarkKey(channel.id, up_to!)) ?? []) {
    if (row.status !== 'queued') {
      if (isCovered(row, up_to!.at)) advance(turn, row, { to, at })
      continue
    }
    const mark = Math.max(row.watermarks?.[to] ?? 0, up_to!.at.getTime())
    if (mark === row.watermarks?.[to]) continue
    row.watermarks = { ...row.watermarks, [to]: mark }
    turn.update(Message, { id: row.id }, { watermarks: row.watermarks })
  }
}

/** Characters of a provider's id of a message, as clients may name it; longer ones would not fit an index either. */
const LONGEST_ID = 512

function keepForLater(turn: ProjectTurn, { id: channel_id }: ProjectChannel, item: InboundStatus): void {
  const { provider_message_id, status, at, error, raw } = item
  if (!provider_message_id || provider_message_id.length > LONGEST_ID) return
  const row: EarlyStatus = { channel_id, provider_message_id, status, at, error, raw, created_at: turn.now }
  turn.upsert(EarlyStatus, row)
  keepEarly(turn.records, row)
}
