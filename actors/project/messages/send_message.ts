/** POST /v1/messages: makes all checks that need no provider, then stores the message and passes it to the channel. */
import type { Refusal } from '../../../runtime/mod.ts'
import { prefixedId } from '../../../storage/mod.ts'
import type { ChannelType } from '../../message_types.ts'
import { carrierOf, checkCarried, type Payload, type Provider, type Providers } from '../../providers/mod.ts'
import { refuse } from '../../refuse.ts'
import { accountOf } from '../channels/account.ts'
import { ensureContact } from '../contacts/contact.ts'
import { personOf } from '../contacts/identity.ts'
import { wantPerson } from '../contacts/person_reads.ts'
import { personAnswered } from '../conversations/hold.ts'
import { reservationFor, wantBudget } from '../costs/reserve.ts'
import { fileReads, filesOf, wantFiles } from '../files/files.ts'
import { flowReads, providerFlowId } from '../flows/sent_flow.ts'
import { sendableTemplate } from '../templates/sendable_template.ts'
import { wantTemplateIn } from '../templates/template_facts.ts'
import { wantTickets } from '../tickets/reads.ts'
import { agentOf, type Command } from '../turn/feature.ts'
import type { Reads } from '../turn/reads.ts'
import type { ProjectChannel } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { queued, warningsFor } from './accepted.ts'
import { answeredMail, wantLastMail } from './answered_mail.ts'
import { placeOf, wantPlace } from './place.ts'
import { expectRoom, queueMessage } from './queue_message.ts'
import { messageReads, providerKey, wantReferred } from './reads.ts'

export type SendMessage = {
  type: 'send_message'
  channel: ChannelType
  /** `whatsapp`: E.164 with the leading `+`; else the person's id within the channel. */
  to: string
  message: Payload
  /** Our id or the provider's. */
  context?: { message_id: string } | undefined
  channel_id?: string | undefined
  meta_data?: Record<string, unknown> | undefined
  /** An e-mail without `context` answers the last one of the person. Default: true for agents, who write in a ticket. */
  answers_last?: boolean | undefined
  /** The message is a machine's: an e-mail says so, so that no machine answers it. */
  is_automatic?: boolean | undefined
}

/** Sends a message of any type. The contact is found or created. */
export const sendMessage = {
  reads(reads, command, token_id) {
    wantPerson(reads, command.channel, command.to, command.channel_id)
    wantContent(reads, command)
    // An agent who answers takes the conversation over.
    if (token_id === '') wantTickets(reads)
    if (command.channel === 'email' && !command.context && token_id === '') wantLastMail(reads, command.to)
    wantPlace(reads, command)
  },
  run(turn, command, context) {
    const id = prefixedId('msg')
    const { providers } = context
    const answers_last = command.answers_last ?? agentOf(context) !== null
    const { channel, provider, person, request } = prepareSend(turn, { ...command, answers_last }, providers, id)
    const message = { ...command.message, ...provider.marks?.(request) }
    expectRoom(turn, channel)
    const reserved = reservationFor(turn, channel.id, person.user_id ?? person.bsuid!, command.message)
    const contact = ensureContact(turn, channel, person)
    const row = queueMessage(
      turn,
      channel,
      contact,
      { id, to: command.to, message, reserved, ...rest(command) },
      request,
    )
    const agent = agentOf(context)
    if (agent !== null) personAnswered(turn, row, agent)
    return { body: queued(row, warningsFor(turn, provider, channel, contact, command.message)) }
  },
} satisfies Command<SendMessage>

/** Adds what the content of a message refers to. */
export function wantContent(
  reads: Reads,
  {
    channel,
    context,
    message,
  }: { channel: string; context?: SendMessage['context'] | null; message: { type: string } },
): void {
  const payload = message as Payload
  if (context) wantReferred(reads, context.message_id)
  wantFiles(reads, payload)
  if (payload.type === 'reaction') wantReferred(reads, payload.message_id)
  if (payload.type === 'flow') reads.of(flowReads).add(payload.flow_id)
  wantTemplateIn(reads, channel, payload)
  wantBudget(reads, payload)
}

/**
 * Makes all checks of a send and builds the provider's request. Changes nothing. `id`: the id of the message.
 * @throws {Refusal} the codes of the send
 */
export function prepareSend(turn: ProjectTurn, command: SendMessage, providers: Providers, id: string) {
  const channel = pickChannel(turn, command)
  const provider = carrying(channel, command.message, providers)
  const template = command.message.type === 'template' ? sendableTemplate(turn, channel, command.message) : undefined
  const context = command.context && { message_id: providerId(turn, channel, command.context.message_id) }
  const message = withProviderIds(turn, channel, command.message)
  const kinds = filesOf(command.message)
  const person = personOf(command.channel, command.to)
  const { files } = turn.records.of(fileReads)
  const answered = answeredMail(turn, channel, person, context, command.answers_last === true)
  const request = provider.build(message, {
    account: accountOf(channel),
    to: person.user_id ?? person.bsuid!,
    context: answered?.provider_message_id ? { message_id: answered.provider_message_id } : context,
    answered,
    place: placeOf(turn, channel, { to: command.to, message_id: command.context?.message_id }),
    opaque: id,
    components: template?.components,
    fileOf: (media_id) => files.of(media_id, channel, kinds.get(media_id)),
    meta_data: command.meta_data,
    created_at: turn.now,
    is_automatic: command.is_automatic,
  })
  return { channel, provider, person, request }
}

/** Replaces our ids in the message by the provider's. */
function withProviderIds(turn: ProjectTurn, channel: ProjectChannel, message: Payload): Payload {
  if (message.type === 'reaction') return { ...message, message_id: providerId(turn, channel, message.message_id) }
  if (message.type === 'flow') return { ...message, flow_id: providerFlowId(turn, channel, message.flow_id) }
  return message
}

const rest = ({ context, meta_data }: SendMessage) => ({ context: context ?? null, meta_data: meta_data ?? null })

/** The active channel of the type: the named one, or the only one. */
function pickChannel(turn: ProjectTurn, command: { channel: string; channel_id?: string | undefined }): ProjectChannel {
  const ofType = [...turn.state.channels.values()].filter((one) => one.channel_type === command.channel)
  if (command.channel_id) {
    const named = ofType.find((one) => one.id === command.channel_id)
    if (!named) throw refuse('CHANNEL_NOT_FOUND', { channel_id: command.channel_id })
    if (!named.is_active) throw refuse('CHANNEL_NOT_CONNECTED', { channel_id: named.id })
    return named
  }
  const active = ofType.filter((one) => one.is_active)
  if (active.length === 0) throw refuse('CHANNEL_NOT_CONNECTED', { channel: command.channel })
  if (active.length > 1) {
    const channels = active.map(({ id, name, provider_account_id }) => ({ id, name, provider_account_id }))
    throw refuse('CHANNEL_REQUIRED', { channels })
  }
  return active[0]!
}

/** The adapter of a channel, if the channel carries the type. */
function carrying(channel: ProjectChannel, message: Payload, providers: Providers): Provider {
  checkCarried(carrierOf(channel), message, channel.channel_type)
  const provider = providers.of(channel)
  if (!provider) throw refuse('CHANNEL_NOT_CONNECTED', { channel_id: channel.id })
  return provider
}

/** A message of a group cannot be answered: the answer would go to the person alone, without what it answers. */
function ofGroup({ channel_type }: ProjectChannel): Refusal {
  const message = 'The message that is answered was said in a group, and messages can be sent to people only.'
  return refuse('MESSAGE_NOT_ACCEPTED_BY_CHANNEL', { channel: channel_type, path: 'context.message_id' }, message)
}

/**
 * The provider's id for an id of either kind. A provider's id of an unknown message is returned unchanged.
 * @throws {Refusal} MESSAGE_NOT_SENT_YET for a message that waits in this channel, MESSAGE_NOT_FOUND for any other id of
 * ours without a provider's id on this channel
 */
function providerId(turn: ProjectTurn, channel: ProjectChannel, id: string): string {
  const { rows } = turn.records.of(messageReads)
  const known = rows.get(id) ?? rows.get(providerKey(channel.id, id))
  if (known && typeof known.message.group_id === 'string' && known.channel_id === channel.id) throw ofGroup(channel)
  if (!id.startsWith('msg_')) return id
  if (known?.channel_id !== channel.id) throw refuse('MESSAGE_NOT_FOUND', { message_id: id })
  if (known.provider_message_id) return known.provider_message_id
  if (known.status === 'queued') throw refuse('MESSAGE_NOT_SENT_YET', { message_id: id })
  throw refuse('MESSAGE_NOT_FOUND', { message_id: id }, 'The message failed before the provider accepted it.')
}
