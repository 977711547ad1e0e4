/**
 * Messages that the business wrote elsewhere: on its phone, in the provider's app, in a mail program. They become outbound
 * messages with an `origin`. Providers tell messages of ours in the same way, before or after they answer the send.
 *
 *  O1 A call that has our id, or a provider's id that a message has, is about that message. It proves that it was sent.
 *  O2 While a message to the person waits for the provider's answer, the call may be about that one, and is taken up again.
 *  O3 When no message waits any more, one whose outcome is unknown and that has the same content is the one. Else the
 *     business wrote it elsewhere.
 *  O4 It answers what the person had written by then, opens no ticket, and is never sent.
 */
import { createHash } from 'node:crypto'
import { type Contact, isNotice, Message, prefixedId } from '../../../storage/mod.ts'
import type { InboundEcho, Provider } from '../../providers/mod.ts'
import { contactOn, ensureContact, noteIdentity } from '../contacts/contact.ts'
import { formsOf, ownAddressOf } from '../contacts/identity.ts'
import { wantIds } from '../contacts/person_reads.ts'
import { contactReads, survivorOf } from '../contacts/reads.ts'
import { personAnswered } from '../conversations/hold.ts'
import { receiveFiles, wantStored } from '../files/received_files.ts'
import { heardOf, standbyHolder } from '../threads/holder.ts'
import { wantTickets } from '../tickets/reads.ts'
import { messageSent } from '../tickets/system_events.ts'
import type { InboundItem, Receiver } from '../turn/feature.ts'
import type { Reads } from '../turn/reads.ts'
import type { ProjectChannel } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { advance, emitStatus } from './advance.ts'
import { lastReceivedReads, wantLastMailOf } from './answered_mail.ts'
import { changeByEarly, changeOriginal, findOriginal, wantOriginal } from './changed_original.ts'
import { applyEarly } from './early_statuses.ts'
import { messageRow } from './message_row.ts'
import { keepMessage, messageReads, providerKey, watermarkKey } from './reads.ts'
import { isSameContent } from './same_content.ts'

/** Milliseconds for which an answer may be awaited: longer than any call, and than another node needs to take over. */
const MAX_WAIT_MS = 120_000
const FIRST_WAIT_MS = 1_000

/** The durable timer of an echo that may be about a message of ours. Times in Unix milliseconds. */
export type EchoHeld = {
  channel_id: string
  item: Omit<InboundEcho, 'at'> & { at: number }
  since: number
  /** The contact, which may be erased meanwhile. */
  chat_user: string
}

export const echoReported: InboundItem<'echo'> = {
  reads: (reads, { channel, item }) => wantEcho(reads, channel, item),
  receive: (turn, { channel, item }, { providers }) =>
    receive(turn, channel, providers.of(channel), { item, since: turn.now.getTime() }),
}

/** From the timer. */
export const echoHeld: Receiver<EchoHeld> = {
  reads(reads, { channel_id, item, chat_user }) {
    const channel = reads.state.channels.get(channel_id)
    if (!channel) return
    wantEcho(reads, channel, restored(item))
    reads.of(contactReads).ids.add(chat_user)
  },
  receive(turn, { channel_id, item, since, chat_user }, { providers }) {
    const channel = turn.state.channels.get(channel_id)
    // A contact that is gone was erased: nothing may outlive it.
    if (!channel || !turn.records.of(contactReads).by_id.has(chat_user)) return
    receive(turn, channel, providers.of(channel), { item: restored(item), since })
  },
}

const restored = (item: EchoHeld['item']): InboundEcho => ({ ...item, at: new Date(item.at) })

function wantEcho(reads: Reads, channel: ProjectChannel, item: InboundEcho): void {
  wantOriginal(reads, channel.id, item)
  wantTickets(reads)
  wantIds(reads, channel, item)
  wantStored(reads, item)
  const { ids, provided } = reads.of(messageReads)
  provided.add(item.provider_message_id)
  if (item.part_of !== undefined) provided.add(item.part_of)
  if (item.opaque) ids.add(item.opaque)
  const { channel_type } = channel
  const ids_of_person = [...(item.user_id === null ? [] : formsOf(channel_type, item.user_id)), item.bsuid]
  reads.after(contactReads, ({ by_id }) => {
    for (const { _id, user_id, bsuid, merged_into, ...contact } of by_id.values()) {
      if (contact.channel_type !== channel_type) continue
      if (!ids_of_person.includes(user_id) && !(bsuid && ids_of_person.includes(bsuid))) continue
      wantLastMailOf(reads, merged_into ?? _id)
      const person = { channel_id: channel.id, channel_type, user_id }
      reads.of(messageReads).watermarks.set(watermarkKey(channel.id, person), person)
    }
  })
}

/** `since`: the time at which it was told first. */
function receive(
  turn: ProjectTurn,
  channel: ProjectChannel,
  provider: Provider | undefined,
  { item, since }: { item: InboundEcho; since: number },
): void {
  const { rows } = turn.records.of(messageReads)
  const { opaque, provider_message_id, part_of, at } = item
  const whole = part_of === undefined ? undefined : rows.get(providerKey(channel.id, part_of))
  // A send of ours is one message, in however many parts it is told.
  if (whole && !whole.origin) return
  const known = (opaque && rows.get(opaque)) || rows.get(providerKey(channel.id, provider_message_id))
  if (known) {
    if (known.direction !== 'outbound' || known.channel_id !== channel.id) return
    if (known.imported_at) comeLive(turn, channel, known, item)
    else prove(turn, known, item)
    return
  }
  // One of ours that was erased.
  if (opaque) return
  const open = unansweredTo(turn, channel, item)
  const waiting = open.find(({ status }) => status === 'queued')
  if (waiting && turn.now.getTime() - since < MAX_WAIT_MS) {
    hold(turn, channel, item, { since, chat_user: waiting.chat_user! })
    return
  }
  const same = open.find((row) => !row.confirmed && isSameContent(row, item))
  if (same) advance(turn, same, { to: 'sent', at, provider_message_id, confirmed: true })
  else store(turn, channel, provider, item)
}

/** The provider has the message, although its answer may have been lost. */
function prove(turn: ProjectTurn, row: Message, { at, provider_message_id }: InboundEcho): void {
  if (row.status === 'queued') turn.tell(`channel/${row.channel_id}`, { type: 'confirmed', message_id: row.id })
  advance(turn, row, { to: 'sent', at, provider_message_id })
}

/** It was imported from the history of the phone before. */
function comeLive(turn: ProjectTurn, channel: ProjectChannel, row: Message, item: InboundEcho): void {
  const patch = { imported_at: null, updated_at: turn.now }
  Object.assign(row, patch)
  turn.update(Message, { id: row.id }, patch)
  if (row.deleted_at) return
  const { contacts, messages } = item.value
  emitStatus(turn, row, { at: item.at }, { contacts, messages })
  const contact = contactOn(turn, channel, item)
  if (contact && !isNotice(row)) answeredElsewhere(turn, contact, row, isAnswer(turn, row, row.sent_at ?? item.at))
}

/** Messages of ours to the person whose id at the provider is unknown, oldest first. */
function unansweredTo(turn: ProjectTurn, channel: ProjectChannel, item: InboundEcho): Message[] {
  const contact = contactOn(turn, channel, item)
  const rows = contact && turn.records.of(messageReads).unread.get(watermarkKey(channel.id, contact))
  return rows?.filter(({ provider_message_id }) => !provider_message_id) ?? []
}

function hold(
  turn: ProjectTurn,
  channel: ProjectChannel,
  item: InboundEcho,
  { since, chat_user }: Pick<EchoHeld, 'since' | 'chat_user'>,
): void {
  const waited_ms = turn.now.getTime() - since
  const due = new Date(turn.now.getTime() + Math.max(FIRST_WAIT_MS, Math.min(waited_ms, MAX_WAIT_MS - waited_ms)))
  const digest = createHash('sha256').update(providerKey(channel.id, item.provider_message_id)).digest('hex')
  const held: EchoHeld = { channel_id: channel.id, item: { ...item, at: item.at.getTime() }, since, chat_user }
  turn.timer(`echo/${digest.slice(0, 32)}`, due, { type: 'echo_held', ...held, cause: turn.cause })
}

function store(turn: ProjectTurn, channel: ProjectChannel, provider: Provider | undefined, echo: InboundEcho): void {
  const { user_id, bsuid = null, name } = echo
  const person = { user_id, bsuid, name }
  const is_notice = isNotice(echo)
  // A notice about a message of nobody is news of nothing.
  if (is_notice && !contactOn(turn, channel, person)) return
  const identity = ensureContact(turn, channel, person)
  const contact = survivorOf(turn.records, identity)
  const held_by = echo.standby && standbyHolder(contact, channel.id, echo.standby)
  if (held_by) heardOf(turn, identity, channel.id, { ...echo, by: 'business' })
  const message_id = prefixedId('msg')
  const original = findOriginal(turn, channel.id, echo)
  const item = receiveFiles(turn, channel, provider, echo, { message_id, chat_user: contact._id, original })
  const at = new Date(Math.min(item.at.getTime(), turn.now.getTime()))
  const row = messageRow(turn, channel, item, {
    id: message_id,
    direction: 'outbound',
    origin: held_by ?? item.origin,
    to: ownAddressOf(identity),
    chat_user: contact._id,
    context: item.context,
    status: 'sent',
    sent_at: at,
    taken_after: at,
  })
  const tellOfEarly = changeByEarly(turn, channel, row, item.part_of)
  turn.insert(Message, row)
  noteIdentity(turn, identity, 'message', message_id)
  keepMessage(turn.records, row)
  const { contacts, messages } = item.value
  emitStatus(turn, row, { at }, { contacts, messages })
  applyEarly(turn, row)
  tellOfEarly()
  changeOriginal(turn, channel, row, item)
  if (is_notice || row.deleted_at) return
  const is_automatic = item.message.auto_submitted !== undefined
  answeredElsewhere(turn, contact, row, !is_automatic && isAnswer(turn, row, at))
}

/** A person of the business wrote it, so that no assistant answers any more. */
function answeredElsewhere(turn: ProjectTurn, contact: Contact, row: Message, is_answer: boolean): void {
  messageSent(turn, contact, row, is_answer)
  if (row.message.auto_submitted === undefined) personAnswered(turn, row, null)
}

/** False for a message that is older than what the person wrote last. Providers tell whole seconds. */
function isAnswer({ records }: ProjectTurn, { chat_user }: Message, at: Date): boolean {
  const last = records.of(lastReceivedReads).get(chat_user!)
  const of_turn = [...records.of(messageReads).rows.values()].filter((row) => row.chat_user === chat_user)
  return [...(last ? [last] : []), ...of_turn].every((row) => {
    if (row.direction !== 'inbound' || isNotice(row) || !row.sent_at) return true
    return Math.floor(row.sent_at.getTime() / 1000) <= Math.floor(at.getTime() / 1000)
  })
}
