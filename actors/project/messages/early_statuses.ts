/** Stores statuses under a provider's id that no message has yet, and applies them when a message gets that id (S2). */
import { blank, EarlyStatus, Message, readRows } from '../../../storage/mod.ts'
import type { InboundStatus } from '../../providers/mod.ts'
import type { ReadKind, Records } from '../turn/records.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { advance } from './advance.ts'
import { keepMessage, messageReads, providerKey } from './reads.ts'

/** Early statuses by `providerKey`. Keys: provider's ids that messages have just got. */
export const earlyStatusReads: ReadKind<Set<string>, Map<string, EarlyStatus[]>> = {
  keys: () => new Set(),
  found: () => new Map(),
  async read(_found, provided, { database, state, records }) {
    const where = { channel_id: [...state.channels.keys()], provider_message_id: [...provided] }
    const rows = await readRows(database, EarlyStatus, where)
    for (const row of rows) keepEarly(records, row)
    const notices = rows.flatMap(({ notice_id }) => notice_id ?? [])
    if (notices.length === 0) return
    const { project_id } = state
    for (const notice of await readRows(database, Message, { id: notices, project_id })) keepMessage(records, notice)
  },
}

/** Registers the status in the turn. A later one of the same kind replaces it. */
export function keepEarly(records: Records, row: EarlyStatus): void {
  const early = records.of(earlyStatusReads)
  const key = providerKey(row.channel_id, row.provider_message_id)
  const known = early.get(key) ?? []
  early.set(key, [...known.filter(({ status }) => status !== row.status), row])
}

const EARLIEST_FIRST = ['sent', 'delivered', 'read', 'failed'] as const

/** Applies the stored statuses of a message that has just got the provider's id. */
export function applyEarly(turn: ProjectTurn, row: Message): void {
  const early = turn.records.of(earlyStatusReads)
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

/** Maximum characters of a provider's id of a message, as for ids from clients. Longer ones would not fit an index. */
const MAX_ID_LENGTH = 512

/** The words of a provider without addresses and phones. */
function withoutIdentities(text: string): string {
  const words = text.split(/\s/).map((word) => (word.includes('@') ? '…' : word.replace(/\d{6,}/g, '…')))
  return words.join(' ')
}

/**
 * Stores a status whose message is not yet known by the provider's id. It may be late instead: the message may have been
 * erased. So nothing is stored that names a person. The message has it, when it comes.
 */
export function keepForLater(turn: ProjectTurn, { id: channel_id }: { id: string }, item: InboundStatus): void {
  const { provider_message_id, status, at } = item
  if (!provider_message_id || provider_message_id.length > MAX_ID_LENGTH) return
  const error = item.error && { ...item.error, message: withoutIdentities(item.error.message) }
  const nothing = { raw: null, notice_id: null }
  const row: EarlyStatus = { channel_id, provider_message_id, status, at, error, ...nothing, created_at: turn.now }
  turn.upsert(EarlyStatus, row)
  keepEarly(turn.records, row)
}

/** The notices about this message that arrived before it, in the order of their times. */
export function earlyNoticesOf(turn: ProjectTurn, channel_id: string, provider_message_id: string): Message[] {
  const early = turn.records.find(earlyStatusReads)?.get(providerKey(channel_id, provider_message_id)) ?? []
  const { rows } = turn.records.of(messageReads)
  const notices = early.flatMap(({ notice_id }) => (notice_id && rows.get(notice_id)) || [])
  return notices.sort((one, other) => timeOf(one) - timeOf(other))
}

/** Stores a notice about a message that has not arrived yet, for a day. Of several edits the last one counts. */
export function keepNoticeForLater(turn: ProjectTurn, notice: Message, original_id: string): void {
  if (original_id.length > MAX_ID_LENGTH) return
  const { channel_id, id: notice_id } = notice
  const status = notice.type === 'edit' ? 'edited' : 'deleted'
  const key = { channel_id, provider_message_id: original_id, status } as const
  const known = earlyNoticesOf(turn, channel_id, original_id).find(({ type }) => type === notice.type)
  if (known && timeOf(known) > timeOf(notice)) return
  const row = blank(EarlyStatus, {
    ...key,
    at: new Date(timeOf(notice)),
    notice_id,
    created_at: turn.now,
  })
  turn.upsert(EarlyStatus, row)
  keepEarly(turn.records, row)
}

/** The time of a notice, as its provider tells it. */
function timeOf({ sent_at, created_at }: Message): number {
  return (sent_at ?? created_at).getTime()
}
