/**
 * How the rows of the inbox change with live events. An event carries a record, of which a row shows a part. No DOM, no
 * state.
 */

import type { Definitions } from '../records/definitions.ts'
import type { InboxFilter, InboxRow } from '../records/inbox.ts'
import type { AnyRecord } from '../records/record.ts'
import { isNotice } from './preview.ts'

/** Characters of a preview, as the server cuts it. */
const PREVIEW = 200
const MAX_UNREAD = 100

/** The name of a stage of any pipeline; null for one that the definitions do not have. */
export function nameOfStage(id: unknown, definitions: Definitions | null | undefined): string | null {
  const stages = definitions?.pipelines.flatMap(({ stages }) => stages) ?? []
  return stages.find(({ _id }) => _id === id)?.name ?? null
}

/**
 * The row after a change of its ticket.
 *
 * @param ticket whole or a part
 */
export function rowAfterTicket(
  row: InboxRow,
  ticket: AnyRecord,
  nameOfStage: (stage_id: string) => string | null,
): InboxRow {
  if (ticket.version !== undefined && ticket.version < row.version) return row
  const { stage, chat_user_name, chat_user_avatar, chat_user_channel, ...rest } = ticket
  const next = { ...row, last_activity_at: later(row.last_activity_at, rest.last_activity_at) }
  if (ticket.version === undefined) return next
  const { version, is_closed, closed_at, tags, assigned_to, handled_by, priority } = rest
  const contact = {
    ...row.contact,
    name: chat_user_name ?? row.contact.name,
    avatar: chat_user_avatar ?? row.contact.avatar,
    channel_type: chat_user_channel ?? row.contact.channel_type,
  }
  const { stage_id } = stage
  const shown_stage = stage_id === null ? null : { stage_id, name: nameOfStage(stage_id) ?? row.stage?.name ?? null }
  const shown = { version, is_closed, closed_at, tags, assigned_to, handled_by, priority }
  return { ...next, ...shown, contact, stage: shown_stage }
}

/**
 * The row of a ticket that was not known, made of its record alone.
 *
 * @param ticket whole
 */
export function rowOfTicket(ticket: AnyRecord, nameOfStage: (stage_id: string) => string | null): InboxRow {
  // All others come from the ticket.
  const empty = {
    ticket_id: ticket._id,
    version: 0,
    created_at: ticket.created_at,
    contact: {
      _id: ticket.chat_user,
      name: null,
      avatar: null,
      phone: null,
      user_id: '',
      channel_type: '',
      channel_id: ticket.chat_user_channel_id,
    },
    last_message: null,
    last_activity_at: ticket.last_activity_at,
    waiting_since: null,
    failed_at: null,
    snoozed_at: null,
    snoozed_until: null,
    reply_window_ends_at: null,
    unread_count: 0,
  } as unknown as InboxRow
  return rowAfterTicket(empty, ticket, nameOfStage)
}

/**
 * The row after a message of its contact was created or has a new status.
 *
 * @param message whole
 */
export function rowAfterMessage(row: InboxRow, message: AnyRecord, is_new: boolean): InboxRow {
  if (isNotice(message)) return row
  const { id, type, direction, status, created_at, deleted_at = null, channel_id = null, message: content } = message
  const known = row.last_message
  if (known && known.id !== id && created_at < known.created_at) return row
  const words = [content?.auto_submitted && 'Automatic', content?.subject, writtenIn(content)]
  const text = words.filter(Boolean).join(': ').slice(0, PREVIEW) || null
  const said = { text, message: text === null ? content : null, channel_id }
  const next = { ...row, last_message: { id, type, direction, status, created_at, deleted_at, ...said } }
  if (!is_new || known?.id === id) return next
  const { waiting_since, unread_count } = row
  const turn =
    direction === 'inbound'
      ? { waiting_since: waiting_since ?? created_at, unread_count: Math.min(MAX_UNREAD, unread_count + 1) }
      : { waiting_since: null, failed_at: null }
  return { ...next, last_activity_at: later(row.last_activity_at, created_at), ...turn }
}

/** The text that somebody wrote or chose. The rule of the server. */
function writtenIn(content: AnyRecord): string | undefined {
  const { body, caption, body_text, button_reply, list_reply } = content ?? {}
  return body ?? caption ?? body_text ?? button_reply?.title ?? list_reply?.title
}

/**
 * The row after a change of its contact.
 *
 * @param contact whole
 */
export function rowAfterContact(row: InboxRow, { name, avatar, phone, windows = [] }: AnyRecord): InboxRow {
  const ends = windows.map((one: AnyRecord) => one.expires_at).sort()
  return {
    ...row,
    contact: { ...row.contact, name, avatar, phone },
    reply_window_ends_at: ends.at(-1) ?? row.reply_window_ends_at,
  }
}

/** True when a later form of the row is known: an answer may be older than events. */
export function isOlder(row: InboxRow, known: InboxRow) {
  return row.version < known.version || (row.version === known.version && row.last_activity_at < known.last_activity_at)
}

/**
 * True when the row belongs to the list. A search is left to the server.
 *
 * @param user_id the agent
 */
export function fits(row: InboxRow, filter: InboxFilter, user_id: string) {
  const { view, is_closed = 'false', is_snoozed = 'false', is_unread, is_failed, sort } = filter
  if (sort === 'waiting' && row.waiting_since === null) return false
  if (row.is_closed !== (is_closed === 'true')) return false
  if (!row.is_closed && (row.snoozed_at !== null) !== (is_snoozed === 'true')) return false
  if (view === 'mine' && row.assigned_to?.id !== user_id) return false
  if (view === 'unassigned' && row.assigned_to !== null) return false
  if (is_unread !== undefined && row.unread_count > 0 !== (is_unread === 'true')) return false
  if (is_failed !== undefined && (row.failed_at !== null) !== (is_failed === 'true')) return false
  const exact: [string | undefined, string | null | undefined][] = [
    [filter.stage_id, row.stage?.stage_id],
    [filter.channel_type, row.contact.channel_type],
    [filter.channel_id, row.contact.channel_id],
    [filter.priority, row.priority],
    [filter.assigned_to, row.assigned_to?.id],
    [filter.handled_by, row.handled_by],
  ]
  if (exact.some(([filter_value, value]) => filter_value !== undefined && filter_value !== value)) return false
  return filter.tag_id === undefined || row.tags.some(({ id }) => id === filter.tag_id)
}

/** The part of a filter that the record of a ticket tells alone. */
export function certainOf({ is_unread: _, is_failed: __, sort: ___, ...certain }: InboxFilter): InboxFilter {
  return certain
}

/** The order of a list, as of `sort`. */
export function orderOf({ sort }: InboxFilter): (one: InboxRow, other: InboxRow) => number {
  if (sort === 'waiting') {
    return (one, other) =>
      compare(one.waiting_since ?? '~', other.waiting_since ?? '~') || compare(one.ticket_id, other.ticket_id)
  }
  return (one, other) =>
    compare(other.last_activity_at, one.last_activity_at) || compare(other.ticket_id, one.ticket_id)
}

function compare(one: string, other: string) {
  return one < other ? -1 : one > other ? 1 : 0
}

function later(one: string, other: string | undefined) {
  return other !== undefined && other > one ? other : one
}
