/**
 * A call of the provider's webhook, verified and taken apart: what happened, in the terms of the project.
 *
 * The signature is checked over the text as it came, with the secret of the channel that the call was addressed to. A
 * call may speak of several numbers; those whose channel shares that secret are believed.
 */
import { type InboundMessage as Message, parseWebhook, type StatusUpdate, verifySignature } from '../whatsapp/mod.ts'
import type { InboundAnswer } from './protocol.ts'
import type { ProjectChannel, ProjectState } from './state.ts'

type Place = { channel_id: string; channel_type: string }

export type InboundMessage = { kind: 'message'; user_id: string | null } & Place & Message
/** `opaque` is our message id, which the provider carries along. */
export type InboundStatus = { kind: 'status' } & Place & StatusUpdate

export type InboundCall = { answer: InboundAnswer; items: (InboundMessage | InboundStatus)[] }

const refused = (status: number, body: string): InboundCall => ({ answer: { status, body }, items: [] })

export function readInboundCall(
  state: ProjectState,
  { channel_id, raw, signature }: { channel_id: string; raw: string; signature: string | null },
  now: Date,
): InboundCall {
  const addressed = state.channels.get(channel_id)
  const secret = addressed?.credentials.app_secret
  if (addressed?.channel_type !== 'whatsapp' || !secret) return refused(404, 'no such channel')
  if (!verifySignature(raw, signature, secret)) return refused(401, 'the signature does not match')
  const changes = parseWebhook(raw, now)
  if (!changes) return refused(400, 'not a call about WhatsApp')
  const items: InboundCall['items'] = []
  for (const change of changes) {
    const channel = channelOf(state, change.phone_number_id, addressed, secret)
    if (!channel) continue
    const place = { channel_id: channel.id, channel_type: channel.channel_type }
    for (const message of change.messages) items.push({ kind: 'message', ...place, ...message, user_id: message.wa_id })
    for (const status of change.statuses) items.push({ kind: 'status', ...place, ...status })
  }
  return { answer: { status: 200, body: 'EVENT_RECEIVED' }, items }
}

function channelOf(
  state: ProjectState,
  phone_number_id: string | null,
  addressed: ProjectChannel,
  secret: string,
): ProjectChannel | undefined {
  if (phone_number_id === addressed.provider_account_id) return addressed
  for (const channel of state.channels.values()) {
    const same = channel.provider_account_id === phone_number_id && channel.credentials.app_secret === secret
    if (same && channel.channel_type === 'whatsapp') return channel
  }
  return undefined
}
