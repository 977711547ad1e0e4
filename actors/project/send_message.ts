/** POST /v1/messages: everything that can be told before the provider is asked, then stored and handed to the channel. */
import { Unavailable } from '../../runtime/mod.ts'
import type { Contact } from '../../storage/mod.ts'
import { Message, prefixedId } from '../../storage/mod.ts'
import { messageSent } from '../crm/system_events.ts'
import {
  carrierOf,
  messageTypesOf,
  type Payload,
  type Provider,
  type Providers,
  type TemplatePayload,
} from '../providers/mod.ts'
import { flowButtonIndexes, templateVariables } from '../providers/whatsapp/mod.ts'
import { refuse } from '../refuse.ts'
import { ensureContact } from './contacts.ts'
import type { ProjectTurn } from './events.ts'
import { wantedFiles } from './files.ts'
import { providerFlowId } from './flows.ts'
import { accountOf } from './inbound_call.ts'
import { keepMessage } from './records.ts'
import type { CommandResult, SendMessage } from './request.ts'
import type { ProjectChannel, TemplateFacts } from './state.ts'
import { findTemplate, templateIn, templateWarnings, type Warning } from './template_status.ts'
import { personOf } from './wants.ts'

const FULL = 'Too many messages wait for this channel; its provider takes them slowly or not at all. Send again later.'
/** Seconds. */
const FULL_RETRY_S = 5

export function sendMessage(turn: ProjectTurn, command: SendMessage, providers: Providers): CommandResult {
  const channel = pickChannel(turn, command)
  const provider = carrying(channel, command.message, providers)
  const template = command.message.type === 'template' ? templateOf(turn, channel, command.message) : undefined
  const context = command.context && { message_id: providerId(turn, channel, command.context.message_id) }
  const message = withProviderIds(turn, channel, command.message)
  const id = prefixedId('msg')
  const kinds = wantedFiles(command.message)
  const person = personOf(command.channel, command.to)
  const request = provider.build(message, {
    account: accountOf(channel),
    to: person.user_id ?? person.bsuid!,
    context,
    opaque: id,
    components: template?.components,
    fileOf: (media_id) => turn.records.files.of(media_id, channel, kinds.get(media_id)),
    meta_data: command.meta_data,
  })
  expectRoom(turn, channel)
  const contact = ensureContact(turn, channel, person)
  const row = queueMessage(
    turn,
    channel,
    contact,
    { id, to: command.to, message: command.message, ...rest(command) },
    request,
  )
  return { body: accepted(row, warningsFor(turn, provider, channel, contact, command.message)) }
}

/** What the message names by our ids, by the provider's. */
function withProviderIds(turn: ProjectTurn, channel: ProjectChannel, message: Payload): Payload {
  if (message.type === 'reaction') return { ...message, message_id: providerId(turn, channel, message.message_id) }
  if (message.type === 'flow') return { ...message, flow_id: providerFlowId(turn, message.flow_id) }
  return message
}

const rest = ({ context, meta_data }: SendMessage) => ({ context: context ?? null, meta_data: meta_data ?? null })

/** To be called before anything is changed. Throws `Unavailable` while too many messages wait for the channel. */
export function expectRoom(turn: ProjectTurn, { id }: ProjectChannel): void {
  if (turn.isFull(`channel/${id}`)) throw new Unavailable(FULL, FULL_RETRY_S)
}

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

/** The adapter of a channel that carries such a message. */
function carrying(channel: ProjectChannel, { type }: Payload, providers: Providers): Provider {
  const supported = messageTypesOf(carrierOf(channel))
  if (!supported.includes(type)) {
    const details = { type, channel: channel.channel_type, supported }
    throw refuse('MESSAGE_TYPE_NOT_SUPPORTED_FOR_CHANNEL', details)
  }
  const provider = providers.of(channel)
  if (!provider) throw refuse('CHANNEL_NOT_CONNECTED', { channel_id: channel.id })
  return provider
}

function templateOf(turn: ProjectTurn, channel: ProjectChannel, message: TemplatePayload): TemplateFacts {
  const found = findTemplate(turn, channel.id, message)
  if (!found) throw refuse('TEMPLATE_NOT_FOUND', { name: message.name, language: message.language })
  const given = message.variables ?? {}
  const missing = templateVariables(found.components).filter((name) => !Object.hasOwn(given, name))
  if (missing.length > 0) throw refuse('TEMPLATE_VARIABLE_MISSING', { variables: missing })
  const flow_buttons = flowButtonIndexes(found.components)
  if (message.flow && !flow_buttons.includes(message.flow.button_index ?? flow_buttons[0]!)) {
    throw refuse('TEMPLATE_FLOW_BUTTON_MISSING', { button_index: message.flow.button_index ?? null, flow_buttons })
  }
  return found
}

/** The provider's id for an id of either kind, as far as it is known; a provider's id of a message we never saw passes. */
function providerId(turn: ProjectTurn, channel: ProjectChannel, id: string): string {
  if (!id.startsWith('msg_')) return id
  const known = turn.records.messages.get(id)
  if (!known?.provider_message_id || known.channel_id !== channel.id) {
    throw refuse('MESSAGE_NOT_FOUND', { message_id: id })
  }
  return known.provider_message_id
}

type Queued = Pick<Message, 'id' | 'to' | 'context' | 'meta_data'> & { message: { type: string } }

/** Stores an outbound message and hands the provider's request for it to the channel. `bulk`: for a broadcast. */
export function queueMessage(
  turn: ProjectTurn,
  channel: ProjectChannel,
  contact: Contact,
  { id, to, message, context, meta_data }: Queued,
  request: Record<string, unknown>,
  bulk?: { broadcast_id: string; broadcast_index: number },
): Message {
  const { company_id, project_id } = turn.state
  const row: Message = {
    id,
    company_id,
    project_id,
    channel: channel.channel_type,
    channel_id: channel.id,
    direction: 'outbound',
    to,
    from: null,
    chat_user: contact._id,
    type: message.type,
    message,
    context: context ?? null,
    meta_data: meta_data ?? null,
    status: 'queued',
    provider_message_id: null,
    error: null,
    created_at: turn.now,
    sent_at: null,
    delivered_at: null,
    read_at: null,
    failed_at: null,
    broadcast_id: bulk?.broadcast_id ?? null,
    broadcast_index: bulk?.broadcast_index ?? null,
    updated_at: turn.now,
    taken_after: null,
    watermarks: null,
  }
  turn.insert(Message, row)
  keepMessage(turn.records, row)
  messageSent(turn, contact, row)
  const recipient = contact.user_id
  const address = `channel/${channel.id}`
  const dispatch = { project_id, message_id: id, recipient, request }
  if (bulk) turn.gather(address, 'dispatch_bulk', { ...dispatch, broadcast_id: bulk.broadcast_id })
  else turn.tell(address, { type: 'dispatch', ...dispatch })
  return row
}

/** What the client should know although the message is accepted. */
export function warningsFor(
  turn: ProjectTurn,
  { window_hours }: Provider,
  channel: ProjectChannel,
  contact: Contact,
  message: { type: string },
): Warning[] {
  const template = templateIn(message)
  if (template) return templateWarnings(template, findTemplate(turn, channel.id, template))
  if (window_hours === null || message.type === 'template') return []
  const expires_at = contact.windows[channel.id]
  if (expires_at !== undefined && turn.now < new Date(expires_at)) return []
  const instead = contact.channel_type === 'whatsapp' ? '; send a template instead' : ''
  return [
    {
      code: 'WINDOW_CLOSED',
      message: `The recipient has not written in the last ${window_hours} hours, so the provider is likely to refuse this message${instead}.`,
    },
  ]
}

/** What a send is answered with. */
export function accepted(row: Message, warnings: Warning[]): object {
  const { id, status, channel, channel_id, to, chat_user, type, created_at } = row
  return { id, status, channel, channel_id, to, chat_user, type, created_at, warnings }
}
