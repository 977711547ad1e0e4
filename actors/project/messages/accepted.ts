/** The answer to a send. */
import type { Contact, Message } from '../../../storage/mod.ts'
import type { Provider } from '../../providers/mod.ts'
import { isUnwanted } from '../contacts/consent.ts'
import { survivorOf } from '../contacts/reads.ts'
import { flowWarnings } from '../flows/sent_flow.ts'
import { findTemplate, type TemplateFacts } from '../templates/template_facts.ts'
import { templateIn } from '../templates/template_named.ts'
import { templateWarnings, type Warning } from '../templates/template_warnings.ts'
import { otherHolder } from '../threads/holder.ts'
import type { ProjectChannel } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** Warnings about a message that is accepted nevertheless. `contact`: the one with the ids of the recipient. */
export function warningsFor(
  turn: ProjectTurn,
  { window_hours }: Provider,
  channel: ProjectChannel,
  contact: Contact,
  message: { type: string },
): Warning[] {
  const template = templateIn(message)
  if (template) {
    const known = findTemplate(turn, channel.id, template)
    return [...templateWarnings(template, known), ...consentWarnings(survivorOf(turn.records, contact), known)]
  }
  return [
    ...flowWarnings(turn, message),
    ...threadWarnings(turn, channel, survivorOf(turn.records, contact)),
    ...windowWarnings(turn, window_hours, channel, contact, message),
  ]
}

function consentWarnings(contact: Contact, template: TemplateFacts | undefined): Warning[] {
  if (!template || !isUnwanted(contact, template)) return []
  return [
    {
      code: 'RECIPIENT_OPTED_OUT',
      message: 'The recipient does not want marketing messages, so the provider is likely to refuse this one.',
    },
  ]
}

function threadWarnings(turn: ProjectTurn, { id }: ProjectChannel, contact: Contact): Warning[] {
  const holder = otherHolder(contact, id, turn.now)
  if (holder === undefined) return []
  const app = holder === 'meta_agent' ? 'The own agent of Meta' : 'Another app'
  return [
    {
      code: 'THREAD_HELD_ELSEWHERE',
      message: `${app} holds this conversation: the message takes it over, or is refused where the provider does not let it.`,
    },
  ]
}

function windowWarnings(
  turn: ProjectTurn,
  window_hours: Provider['window_hours'],
  channel: ProjectChannel,
  contact: Contact,
  message: { type: string },
): Warning[] {
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

/** An outbound message with its warnings. */
export function accepted(row: Message, warnings: Warning[]) {
  const { id, status, channel, channel_id, to, chat_user, type, created_at } = row
  return { id, status, channel, channel_id, to: to!, chat_user: chat_user!, type, created_at, warnings }
}

/** The answer to a send. */
export function queued(row: Message, warnings: Warning[]) {
  return { ...accepted(row, warnings), status: 'queued' as const }
}
