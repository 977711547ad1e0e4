/** A message of the history. */
import { blank, type Contact, isNotice, Message, pastId } from '../../../storage/mod.ts'
import type { HistoryMessage, Providers } from '../../providers/mod.ts'
import { contactOn, ensureContact, noteIdentity } from '../contacts/contact.ts'
import { ownAddressOf } from '../contacts/identity.ts'
import { wantIds } from '../contacts/person_reads.ts'
import { survivorOf } from '../contacts/reads.ts'
import { receiveFiles, wantStored } from '../files/received_files.ts'
import { emitStatus } from '../messages/advance.ts'
import { changeByEarly, changeOriginal, wantOriginal } from '../messages/changed_original.ts'
import { applyEarly } from '../messages/early_statuses.ts'
import { messageReads, providerKey } from '../messages/reads.ts'
import { emit, messageEvent } from '../turn/events.ts'
import type { Reads } from '../turn/reads.ts'
import type { ProjectChannel } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** The turn of a slice. `see` notes when a person wrote or was written to. */
type Importing = {
  turn: ProjectTurn
  providers: Providers
  webhooks: boolean
  see(contact: Contact, is_new: boolean, at: Date): void
}

export function wantImported(reads: Reads, channel: ProjectChannel, item: HistoryMessage): void {
  wantOriginal(reads, channel.id, item)
  wantIds(reads, channel, item)
  wantStored(reads, item)
  reads.of(messageReads).provided.add(item.provider_message_id)
}

/** Returns `known` when the message is here, and `unreadable` for a change of a message of nobody. */
export function storeImported(
  one: Importing,
  channel: ProjectChannel,
  item: HistoryMessage,
): 'new' | 'known' | 'unreadable' {
  const { turn } = one
  const known = turn.records.of(messageReads).rows.get(providerKey(channel.id, item.provider_message_id))
  if (known) {
    if (known.imported_at && known.type === PLACEHOLDER && !known.deleted_at) fillIn(one, channel, known, item)
    return 'known'
  }
  const { user_id, bsuid = null, name } = item
  const person = { user_id, bsuid, name }
  const present = contactOn(turn, channel, person)
  if (!present && isNotice(item)) return 'unreadable'
  const identity = present ?? ensureContact(turn, channel, person)
  const { _id: chat_user } = survivorOf(turn.records, identity)
  const at = new Date(Math.min(item.at.getTime(), turn.now.getTime()))
  one.see(identity, !present, at)
  const id = `msg_${pastId(at)}`
  const { message, value } = filesOf(one, channel, item, { message_id: id, chat_user })
  const { direction, status, confirmed, type, context, provider_message_id } = item
  const is_own = direction === 'outbound'
  const row = blank(Message, {
    id,
    company_id: turn.state.company_id,
    project_id: turn.state.project_id,
    channel: channel.channel_type,
    channel_id: channel.id,
    direction,
    ...(is_own ? { to: ownAddressOf(identity), origin: 'phone' } : { from: ownAddressOf(identity) }),
    chat_user,
    type,
    message,
    context,
    status,
    provider_message_id,
    confirmed,
    ...(status === 'failed' ? { failed_at: at, error: NOT_SENT } : { sent_at: at }),
    created_at: at,
    imported_at: turn.now,
    updated_at: turn.now,
  })
  const tellOfEarly = changeByEarly(turn, channel, row, item.part_of)
  turn.insert(Message, row)
  noteIdentity(turn, identity, 'message', id)
  keep(turn, row)
  if (one.webhooks) tellOf(turn, row, value)
  if (is_own) applyEarly(turn, row)
  tellOfEarly()
  changeOriginal(turn, channel, row, item)
  return 'new'
}

/** The type of a message with a file whose content comes later. */
const PLACEHOLDER = 'media_placeholder'
const NOT_SENT = { code: 'not_sent', message: 'The phone could not send the message.' }

/** Not among the recent messages that the project remembers: those are awaited callbacks' ones. */
function keep({ records }: ProjectTurn, row: Message): void {
  const { rows } = records.of(messageReads)
  rows.set(row.id, row)
  rows.set(providerKey(row.channel_id, row.provider_message_id!), row)
}

/** The message with files that are fetched; without webhooks, nobody is told of them. */
function filesOf(
  { turn, providers, webhooks }: Importing,
  channel: ProjectChannel,
  item: HistoryMessage,
  from: { message_id: string; chat_user: string },
): HistoryMessage {
  const silent = (item.files ?? []).map((file) => ({ ...file, reference: { ...file.reference, is_silent: true } }))
  const news = webhooks || silent.length === 0 ? item : { ...item, files: silent }
  return receiveFiles(turn, channel, providers.of(channel), news, from)
}

/** The content of a message that came as a placeholder. */
function fillIn(one: Importing, channel: ProjectChannel, row: Message, item: HistoryMessage): void {
  if (!item.is_file || item.type === PLACEHOLDER) return
  const { turn } = one
  const from = { message_id: row.id, chat_user: row.chat_user! }
  const { type, message } = filesOf(one, channel, item, from)
  const patch = { type, message, updated_at: turn.now }
  Object.assign(row, patch)
  turn.update(Message, { id: row.id }, patch)
}

function tellOf(turn: ProjectTurn, row: Message, value: HistoryMessage['value']): void {
  const { direction, channel_id, chat_user, id: message_id } = row
  if (direction === 'inbound') {
    const data = { ...value, channel_id, chat_user, message_id, imported: true }
    emit(turn, messageEvent(row.channel, 'received'), data, chat_user ?? null)
    return
  }
  const { contacts, messages } = value
  const at = row.sent_at ?? row.failed_at ?? row.created_at
  emitStatus(turn, row, { at }, { contacts, messages, imported: true })
}
