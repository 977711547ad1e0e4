/** POST /v1/messages: everything that can be told before the provider is asked, then stored and handed to the channel. */
import { Message, prefixedId } from '../../storage/mod.ts'
import { messageTypesOf } from '../message_types.ts'
import { refuse } from '../refuse.ts'
import { buildMessage, templateVariables } from '../whatsapp/mod.ts'
import { ensureContact } from './contacts.ts'
import type { ProjectTurn } from './events.ts'
import { keepMessage, userIdOf } from './records.ts'
import type { CommandResult, SendMessage, TemplateMessage } from './request.ts'
import { type ProjectChannel, type TemplateFacts, templateKey } from './state.ts'

const WINDOW_MS = 24 * 3_600_000

/** The active channel of the type: the named one, or the only one. */
function pickChannel(turn: ProjectTurn, command: SendMessage): ProjectChannel {
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

function templateOf(turn: ProjectTurn, channel: ProjectChannel, message: TemplateMessage): TemplateFacts {
  const key = templateKey(channel.id, message.name, message.language)
  const found = turn.state.templates.get(key) ?? turn.records.templates.get(key)
  if (!found) throw refuse('TEMPLATE_NOT_FOUND', { name: message.name, language: message.language })
  turn.state.templates.set(key, found)
  const given = message.variables ?? {}
  const missing = templateVariables(found.components).filter((name) => !Object.hasOwn(given, name))
  if (missing.length > 0) throw refuse('TEMPLATE_VARIABLE_MISSING', { variables: missing })
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

export function sendMessage(turn: ProjectTurn, command: SendMessage): CommandResult {
  const { message } = command
  const channel = pickChannel(turn, command)
  const accepted = messageTypesOf(command.channel)
  if (!accepted.includes(message.type) || (message.type === 'template' && channel.provider === 'qr')) {
    const supported = channel.provider === 'qr' ? accepted.filter((type) => type !== 'template') : accepted
    throw refuse('MESSAGE_TYPE_NOT_SUPPORTED_FOR_CHANNEL', { type: message.type, channel: command.channel, supported })
  }
  if (command.channel !== 'whatsapp') {
    // The adapters of the other channels come with them; until then such a channel cannot be connected.
    throw refuse('CHANNEL_NOT_CONNECTED', { channel_id: channel.id })
  }
  const template = message.type === 'template' ? templateOf(turn, channel, message) : undefined
  const context = command.context && { message_id: providerId(turn, channel, command.context.message_id) }
  const id = prefixedId('msg')
  const recipient = userIdOf(command.channel, command.to)
  const request = buildMessage(message, { to: recipient, context, opaque: id, components: template?.components })

  const contact = ensureContact(turn, channel, { user_id: recipient })
  const row: Message = {
    id,
    company_id: turn.state.company_id,
    project_id: turn.state.project_id,
    channel: command.channel,
    channel_id: channel.id,
    direction: 'outbound',
    to: command.to,
    from: null,
    chat_user: contact._id,
    type: message.type,
    message,
    context: command.context ?? null,
    meta_data: command.meta_data ?? null,
    status: 'queued',
    provider_message_id: null,
    error: null,
    created_at: turn.now,
    sent_at: null,
    delivered_at: null,
    read_at: null,
    failed_at: null,
    updated_at: turn.now,
  }
  turn.insert(Message, row)
  keepMessage(turn.records, row)
  const { project_id } = turn.state
  turn.tell(`channel/${channel.id}`, { type: 'dispatch', project_id, message_id: id, recipient, request })
  const warnings = []
  const open = contact.last_inbound_at && turn.now.getTime() - contact.last_inbound_at.getTime() < WINDOW_MS
  if (message.type !== 'template' && !open) {
    warnings.push({
      code: 'WINDOW_CLOSED',
      message:
        'The recipient has not written in the last 24 hours, so the provider is likely to refuse this message; send a template instead.',
    })
  }
  return {
    body: {
      id,
      status: 'queued',
      channel: command.channel,
      channel_id: channel.id,
      to: command.to,
      chat_user: contact._id,
      type: message.type,
      created_at: turn.now,
      warnings,
    },
  }
}
