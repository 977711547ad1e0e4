/**
 * Edited and withdrawn messages. The author's notice (`edit`, `revoke`) is stored like a message, and changes its
 * original: a later edit replaces the content, a withdrawal removes it. The former content is in the audit alone.
 *
 *  C1 Only the author changes a message: a notice of another person, or of another channel, changes nothing. The business is
 *     the author of all messages to a person, wherever it wrote them.
 *  C2 A notice that arrives before its original is applied when the original arrives.
 *  C3 An edit that is older than the present content changes nothing, and neither does one after the withdrawal: it is
 *     stored without its content.
 *  C4 A repeated notice changes nothing, because it is stored once.
 */
import { AuditEntry, auditEntry, listEditsOf, Message, systemOrigin } from '../../../storage/mod.ts'
import type { InboundMessage } from '../../providers/mod.ts'
import { dropFiles, droppedReads } from '../files/drop_files.ts'
import { contentIn } from '../files/file_nodes.ts'
import { emit, messageEvent, productOf } from '../turn/events.ts'
import type { Reads } from '../turn/reads.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectChannel } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { earlyNoticesOf, earlyStatusReads, keepNoticeForLater } from './early_statuses.ts'
import { keepMessage, messageReads, providerKey } from './reads.ts'

type Content = Message['message']
type Item = Pick<InboundMessage, 'type' | 'message' | 'parts'>
type Identified = Item & Pick<InboundMessage, 'provider_message_id' | 'part_of'>

/** The provider's id of the message that this one edits or withdraws; undefined for any other message. */
function originalOf({ type, message }: Pick<Item, 'type' | 'message'>): string | undefined {
  const { original_message_id: id } = message
  return (type === 'edit' || type === 'revoke') && typeof id === 'string' && id !== '' ? id : undefined
}

/** Notices that edited a message, by its `providerKey`: they repeat what a withdrawal removes. */
const editReads: ReadKind<Map<string, { channel_id: string; original_id: string }>, Map<string, Message[]>> = {
  keys: () => new Map(),
  found: () => new Map(),
  async read(found, keys, { database, records }) {
    for (const [key, { channel_id, original_id }] of keys) {
      const rows = await listEditsOf(database, channel_id, original_id)
      found.set(
        key,
        rows.map((row) => keepMessage(records, row)),
      )
    }
  },
}

/** Reads what the receipt of a message needs to change another, or to be changed by an earlier notice. */
export function wantOriginal(reads: Reads, channel_id: string, item: Identified): void {
  const original_id = originalOf(item)
  reads.of(earlyStatusReads).add(original_id ?? item.part_of ?? item.provider_message_id)
  if (original_id === undefined) return
  const { provided } = reads.of(messageReads)
  const ids = [original_id, ...(item.parts ?? [])]
  for (const id of ids) provided.add(id)
  reads.of(droppedReads).add((records) => {
    const { rows } = records.of(messageReads)
    return ids.flatMap((id) => rows.get(providerKey(channel_id, id)) ?? []).map(contentIn)
  })
  if (item.type === 'revoke') {
    reads.of(editReads).set(providerKey(channel_id, original_id), { channel_id, original_id })
  }
}

/** The message that this one edits or withdraws, when it is here. */
export function findOriginal({ records }: ProjectTurn, channel_id: string, item: Item): Message | undefined {
  const id = originalOf(item)
  return id === undefined ? undefined : records.of(messageReads).rows.get(providerKey(channel_id, id))
}

/** Applies a stored notice to its original, or keeps it for the original. */
export function changeOriginal(
  turn: ProjectTurn,
  channel: ProjectChannel,
  notice: Message,
  { parts = [] }: Item,
): void {
  const original_id = originalOf(notice)
  if (original_id === undefined) return
  const { rows } = turn.records.of(messageReads)
  const found = [original_id, ...parts].flatMap((id) => rows.get(providerKey(channel.id, id)) ?? [])
  if (!rows.has(providerKey(channel.id, original_id))) keepNoticeForLater(turn, notice, original_id)
  for (const row of found) {
    const change = changeBy(turn, row, notice)
    if (!change) continue
    const patch = { ...change, updated_at: turn.now }
    Object.assign(row, patch)
    keepMessage(turn.records, row)
    turn.update(Message, { id: row.id }, patch)
    tellOf(turn, channel, row, notice)
  }
  const own = found.filter((row) => isOfSame(row, notice))
  // The original may never arrive; its edits say what was withdrawn all the same.
  if (notice.type === 'revoke' && (found.length === 0 || own.length > 0)) removeEdits(turn, notice, original_id)
  if (notice.type === 'edit' && isWithdrawn(turn, notice, original_id, own)) removeEdit(turn, notice, original_id)
}

/** True when the author withdrew the message before its edit arrived. `own`: the author's message, when it is here. */
function isWithdrawn(turn: ProjectTurn, edit: Message, original_id: string, own: Message[]): boolean {
  const early = earlyNoticesOf(turn, edit.channel_id, original_id)
  return (
    own.some(({ deleted_at }) => deleted_at) ||
    early.some((notice) => notice.type === 'revoke' && isOfSame(notice, edit))
  )
}

/**
 * Applies earlier notices to a message that is about to be stored.
 *
 * @returns a function that emits their events, for after the message is stored
 */
export function changeByEarly(turn: ProjectTurn, channel: ProjectChannel, row: Message, part_of?: string): () => void {
  const original_id = part_of ?? row.provider_message_id
  if (!original_id || originalOf(row) !== undefined) return () => {}
  const applied: Message[] = []
  for (const notice of earlyNoticesOf(turn, channel.id, original_id)) {
    const change = changeBy(turn, row, notice)
    if (!change) continue
    Object.assign(row, change)
    applied.push(notice)
  }
  return () => {
    for (const notice of applied) {
      tellOf(turn, channel, row, notice)
      if (notice.type === 'revoke') removeEdits(turn, notice, original_id)
    }
  }
}

/** True for messages with one person. While contacts are merged, the address tells. */
function isOfSame(one: Message, other: Message): boolean {
  return one.chat_user === other.chat_user || (one.from ?? one.to) === (other.from ?? other.to)
}

/** The columns that the notice changes; undefined when it changes none. The former content goes to the audit. */
function changeBy(turn: ProjectTurn, row: Message, notice: Message): Partial<Message> | undefined {
  const is_authors = row.direction === notice.direction && isOfSame(row, notice)
  const at = notice.sent_at ?? notice.created_at
  if (!is_authors || row.deleted_at || originalOf(row) !== undefined) return undefined
  const { chat_user, type, message } = row
  if (notice.type === 'revoke') {
    keepFormer(turn, 'withdraw_message', row, { chat_user, type, message })
    const content = withdrawn(row)
    dropFiles(turn, message, content)
    return { deleted_at: at, message: content }
  }
  const edited = notice.message.message as Content | null | undefined
  if (!edited || typeof edited.type !== 'string' || (row.edited_at && row.edited_at > at)) return undefined
  const content = editedContent(message, edited)
  dropFiles(turn, message, content)
  keepFormer(turn, 'edit_message', row, { chat_user, type, message })
  return { edited_at: at, type: content.type as string, message: content }
}

function keepFormer(turn: ProjectTurn, action: string, { id: target_id }: Message, before: object): void {
  const { company_id, project_id } = turn.state
  const change = { target_kind: 'message', target_id, company_id, project_id, before, after: null }
  const entry = auditEntry(systemOrigin(action), change)
  if (entry) turn.insert(AuditEntry, entry)
}

/** The content of a withdrawn message: where it was said stays. */
function withdrawn({ type, message: { group_id } }: Message): Content {
  return { type, ...(group_id !== undefined && { group_id }) }
}

/** Fields of the words, which an edit replaces as a whole. */
const WORDS = ['body', 'caption', 'entities']
/** Facts about a file, which another file has of its own. */
const OF_FILE = ['media_status', 'media_error', 'mime_type', 'file_size', 'sha256', 'filename']

/**
 * The content after an edit. What surrounds the words (an ad, a group, the file of a caption) stays where the edit does
 * not name it. A text that replaces a file's caption is the new caption.
 */
function editedContent(former: Content, edited: Content): Content {
  const is_other_file = edited.media_id !== undefined && edited.media_id !== former.media_id
  const replaced = is_other_file ? [...WORDS, ...OF_FILE] : WORDS
  const around = Object.fromEntries(Object.entries(former).filter(([field]) => !replaced.includes(field)))
  const is_caption = edited.type === 'text' && typeof former.media_id === 'string'
  if (!is_caption) return edited.type === former.type ? { ...around, ...edited } : edited
  const { body, type: _, ...rest } = edited
  return { ...around, ...rest, ...(typeof body === 'string' && body !== '' && { caption: body }) }
}

/** Removes what earlier edits say of a message that was withdrawn. */
function removeEdits(turn: ProjectTurn, withdrawal: Message, original_id: string): void {
  const { channel_id } = withdrawal
  const stored = turn.records.of(editReads).get(providerKey(channel_id, original_id)) ?? []
  const early = earlyNoticesOf(turn, channel_id, original_id)
  for (const row of new Set([...stored, ...early])) {
    if (row.type === 'edit' && isOfSame(row, withdrawal)) removeEdit(turn, row, original_id)
  }
}

function removeEdit(turn: ProjectTurn, row: Message, original_id: string): void {
  if (row.message.message === undefined) return
  const patch = { message: { type: 'edit', original_message_id: original_id }, updated_at: turn.now }
  Object.assign(row, patch)
  turn.update(Message, { id: row.id }, patch)
}

/** Emits the event of the change, in the shape of the provider's notice. */
function tellOf(turn: ProjectTurn, channel: ProjectChannel, row: Message, notice: Message): void {
  const { provider_message_id: id, from, to, direction, type, message } = notice
  const { type: _, ...node } = message
  const timestamp = String(Math.floor((notice.sent_at ?? notice.created_at).getTime() / 1000))
  const is_whatsapp = channel.channel_type === 'whatsapp'
  const addressOf = (address: string | null | undefined) => (is_whatsapp ? address?.replace(/^\+/, '') : address)
  const whose = direction === 'inbound' ? { from: addressOf(from) } : { to: addressOf(to) }
  const data = {
    messaging_product: productOf(row.channel),
    metadata: is_whatsapp ? { phone_number_id: channel.provider_account_id } : {},
    messages: [{ ...whose, id, timestamp, type, [type]: node }],
    channel_id: row.channel_id,
    chat_user: row.chat_user,
    message_id: row.id,
    ...(notice.origin && { origin: notice.origin }),
  }
  emit(turn, messageEvent(row.channel, type === 'edit' ? 'edited' : 'deleted'), data, row.chat_user ?? null)
}
