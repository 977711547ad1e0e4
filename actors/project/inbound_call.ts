/**
 * A call of the provider's webhook, verified and taken apart: what happened, in the terms of the project.
 *
 * The signature is checked over the text as it came, with the secret of the channel that the call was addressed to. A
 * call may speak of several numbers; those whose channel shares that secret are believed.
 */
import { parseWebhook, verifySignature } from '../whatsapp/mod.ts'
import type { InboundAnswer } from './protocol.ts'
import type { ProjectChannel, ProjectState } from './state.ts'

export type InboundMessage = {
  kind: 'message'
  channel_id: string
  channel_type: string
  provider_message_id: string
  user_id: string | null
  bsuid: string | null
  name: string | null
  at: Date
  type: string
  message: Record<string, unknown>
  context: Record<string, unknown> | null
  /** The provider's own object, reduced to this message. */
  value: Record<string, unknown>
}

export type InboundStatus = {
  kind: 'status'
  channel_id: string
  provider_message_id: string
  status: 'sent' | 'delivered' | 'read' | 'failed'
  at: Date
  /** Our message id, which the provider carries along. */
  opaque: string | undefined
  error: { code: string; message: string } | undefined
  raw: Record<string, unknown>
}

export type InboundCall = { answer: InboundAnswer; items: (InboundMessage | InboundStatus)[] }

const refused = (status: number, body: string): InboundCall => ({ answer: { status, body }, items: [] })

export function readInboundCall(
  state: ProjectState,
  { channel_id, raw, signature }: { channel_id: string; raw: string; signature: string | null },
): InboundCall {
  const addressed = state.channels.get(channel_id)
  const secret = addressed?.credentials.app_secret
  if (addressed?.channel_type !== 'whatsapp' || !secret) return refused(404, 'no such channel')
  if (!verifySignature(raw, signature, secret)) return refused(401, 'the signature does not match')
  let body: unknown
  try {
    body = JSON.parse(raw)
  } catch {
    return refused(400, 'not JSON')
  }
  const items: InboundCall['items'] = []
  for (const change of parseWebhook(body)) {
    const channel = channelOf(state, change.phone_number_id, addressed, secret)
    if (!channel) continue
    items.push(...itemsOf(change, channel))
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
