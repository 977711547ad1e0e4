/** A person wrote to a channel. */
import { isNotice, Message, prefixedId } from '../../../storage/mod.ts'
import { type InboundMessage, type Payload, type Provider, tokenIsOf, withChoice } from '../../providers/mod.ts'
import { changedNumber, wroteFrom } from '../contacts/changed_number.ts'
import { hearWish } from '../contacts/consent.ts'
import { ensureContact, noteIdentity, touchContact } from '../contacts/contact.ts'
import { ownAddressOf, type Person } from '../contacts/identity.ts'
import { wantIds } from '../contacts/person_reads.ts'
import { joinProven } from '../contacts/proof.ts'
import { survivorOf } from '../contacts/reads.ts'
import { extendedWindows } from '../contacts/reply_window.ts'
import { assistantHears, assistantHearsChange } from '../conversations/heard.ts'
import { conversationReads } from '../conversations/reads.ts'
import { receiveFiles, wantStored } from '../files/received_files.ts'
import { heardOf, standbyHolder } from '../threads/holder.ts'
import { wantTickets } from '../tickets/reads.ts'
import { personWrote, personWroteElsewhere } from '../tickets/system_events.ts'
import type { CallItem } from '../turn/call_item.ts'
import { emit, messageEvent } from '../turn/events.ts'
import type { InboundItem } from '../turn/feature.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { changeByEarly, changeOriginal, findOriginal, wantOriginal } from './changed_original.ts'
import { flowAnswer, mayAnswerFlow } from './flow_answer.ts'
import { messageRow } from './message_row.ts'
import { keepMessage, messageReads, providerKey } from './reads.ts'
import { takeOver } from './take_over.ts'

/** Stores the message once, even when the provider repeats it. */
export const messageReceived: InboundItem<'message'> = {
  reads(reads, { channel, item }) {
    wantTickets(reads)
    reads.of(conversationReads)
    wantStored(reads, item)
    wantOriginal(reads, channel.id, item)
    const people: Person[] = item.becomes ? [item, item.becomes] : [item]
    for (const person of people) wantIds(reads, channel, person)
    const { provided } = reads.of(messageReads)
    provided.add(item.provider_message_id)
    for (const id of answerableIn(item)) provided.add(id)
    if (item.context && mayAnswerFlow(item)) provided.add(item.context.message_id)
    const keyboard = tokenIsOf(item)
    if (keyboard !== undefined) provided.add(keyboard)
  },
  receive(turn, said, { providers }) {
    const { channel } = said
    const known = turn.records.of(messageReads).rows.get(providerKey(channel.id, said.item.provider_message_id))
    if (known && (!known.imported_at || known.deleted_at)) return
    const provider = providers.of(channel)
    const inbound = withoutToken(turn, said, provider)
    const { user_id, bsuid = null, name, avatar = null, phone = null, browser = null } = inbound
    const said_by: Person = { user_id, bsuid, name, avatar, phone, browser }
    const is_notice = isNotice(inbound)
    const window_hours = is_notice ? null : (provider?.window_hours ?? null)
    const windows =
      window_hours === null ? undefined : extendedWindows({ windows: {} }, channel.id, inbound.at, window_hours)
    const { identity, person, changes } = inbound.becomes
      ? changedNumber(turn, channel, said_by, {
          becomes: inbound.becomes,
          at: inbound.at,
          window_hours: provider?.window_hours ?? 0,
        })
      : { identity: ensureContact(turn, channel, said_by, windows), person: said_by, changes: {} }
    const contact = survivorOf(turn.records, identity)
    if (!inbound.becomes) joinProven(turn, channel, identity, person)
    touchContact(turn, identity, { person, at: inbound.at, channel, window_hours, more: changes })
    if (window_hours !== null) wroteFrom(turn, channel, identity, { person, at: inbound.at, window_hours })
    if (!is_notice) hearWish(turn, contact, inbound)
    const message_id = known?.id ?? prefixedId('msg')
    const original = findOriginal(turn, channel.id, inbound)
    const item = receiveFiles(turn, channel, provider, inbound, { message_id, chat_user: contact._id, original })
    const row = messageRow(turn, channel, item, {
      id: message_id,
      direction: 'inbound',
      // The phone of a contact may be any: the address is the way to answer.
      from: ownAddressOf(identity),
      chat_user: contact._id,
      context: answeredIn(turn, channel.id, item),
      status: 'received',
      // The time of sending, as reported by the provider in whole seconds.
      sent_at: item.at,
    })
    const tellOfEarly = changeByEarly(turn, channel, row, item.part_of)
    if (known) takeOver(turn, known, row)
    else turn.insert(Message, row)
    noteIdentity(turn, identity, 'message', row.id)
    keepMessage(turn.records, row)
    const data = { ...item.value, channel_id: channel.id, chat_user: contact._id, message_id: row.id }
    const held_by = inbound.standby && standbyHolder(contact, channel.id, inbound.standby)
    // A type of its own: who answers each message that is received would answer beside the other app.
    if (held_by) emit(turn, messageEvent(channel.channel_type, 'standby'), { ...data, held_by }, contact._id)
    else emit(turn, messageEvent(channel.channel_type, 'received'), data, contact._id)
    const answer = flowAnswer(item, answered(turn, said))
    if (answer) emit(turn, 'whatsapp.flow.response', { ...data, ...answer }, contact._id)
    tellOfEarly()
    changeOriginal(turn, channel, row, item)
    // Withdrawn before it arrived: there is nothing to answer.
    if (is_notice || row.deleted_at) {
      if (original) assistantHearsChange(turn, identity)
      return
    }
    if (held_by) personWroteElsewhere(turn, identity, channel.id)
    else personWrote(turn, identity, channel.id, answer && { ...answer, message_id: row.id })
    heardOf(turn, identity, channel.id, { ...inbound, by: 'person' })
    if (!held_by) assistantHears(turn, identity, row)
  },
}

/** The message that this one answers, if it was read. */
function answered({ records }: ProjectTurn, { channel, item: { context } }: CallItem<'message'>): Message | undefined {
  return context ? records.of(messageReads).rows.get(providerKey(channel.id, context.message_id)) : undefined
}

/**
 * Replaces a token by the id of the pressed button, which the message with the button holds. Long ids are sent as
 * tokens.
 */
function withoutToken(
  { records }: ProjectTurn,
  { channel, item }: CallItem<'message'>,
  provider: Provider | undefined,
): InboundMessage {
  const keyboard = tokenIsOf(item)
  const sent = keyboard === undefined ? undefined : records.of(messageReads).rows.get(providerKey(channel.id, keyboard))
  return sent ? withChoice(item, (token) => provider?.idOfToken?.(token, sent.message as Payload)) : item
}

/** Ids of a thread that are looked up. */
const MAX_ANSWERABLE = 10

/** The mails that an e-mail may answer: the one it names, then the latest ones of its thread. */
function answerableIn({ context, message }: InboundMessage): string[] {
  const { references } = message
  if (!context || !Array.isArray(references)) return []
  const ids = references.filter((id) => typeof id === 'string').toReversed()
  return [context.message_id, ...ids.slice(0, MAX_ANSWERABLE)]
}

/** The answered message. An e-mail may name one that never came here; then the latest known one of its thread counts. */
function answeredIn({ records }: ProjectTurn, channel_id: string, item: InboundMessage): InboundMessage['context'] {
  const { rows } = records.of(messageReads)
  const known = answerableIn(item).find((id) => rows.has(providerKey(channel_id, id)))
  return known === undefined ? item.context : { message_id: known }
}
