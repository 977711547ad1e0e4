/** A person wrote to a channel. */
import { Message, prefixedId } from '../../storage/mod.ts'
import { ensureContact, touchContact } from './contacts.ts'
import { emit, type ProjectTurn } from './events.ts'
import type { InboundMessage } from './inbound_call.ts'
import { keepMessage, providerKey } from './records.ts'

/** Stores the message once, whatever the provider repeats. */
export function messageReceived(turn: ProjectTurn, item: InboundMessage): void {
  const channel = turn.state.channels.get(item.channel_id)
  if (!channel || turn.records.messages.has(providerKey(item.channel_id, item.provider_message_id))) return
  const person = { user_id: item.user_id, bsuid: item.bsuid, name: item.name }
  const contact = ensureContact(turn, channel, person)
  touchContact(turn, contact, person, item.at)
  const row: Message = {
    id: prefixedId('msg'),
    company_id: turn.state.company_id,
    project_id: turn.state.project_id,
    channel: channel.channel_type,
    channel_id: channel.id,
    direction: 'inbound',
    to: null,
    from: contact.phone ?? contact.user_id,
    chat_user: contact._id,
    type: item.type,
    message: item.message,
    context: item.context,
    meta_data: null,
    status: 'received',
    provider_message_id: item.provider_message_id,
    error: null,
    created_at: turn.now,
    // When the person sent it, as the provider tells: in whole seconds.
    sent_at: item.at,
    delivered_at: null,
    read_at: null,
    failed_at: null,
    updated_at: turn.now,
  }
  turn.insert(Message, row)
  keepMessage(turn.records, row)
  const data = { ...item.value, channel_id: channel.id, chat_user: contact._id, message_id: row.id }
  emit(turn, `${channel.channel_type}.message.received`, data, contact._id)
}
