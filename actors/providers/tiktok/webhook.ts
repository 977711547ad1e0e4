import { echoOf } from '../echo.ts'
import { ignoredField } from '../ignored.ts'
import { isObject, type Json, parseCall, textOf } from '../json.ts'
import type { Inbound, InboundFile } from '../provider.ts'

/**
 * Reads a webhook call, which contains one event. Undefined when it is not such a call. People are identified by the
 * conversation here, because messages can be sent only to conversations.
 */
export function parseWebhook(raw: string, now: Date): Inbound[] | undefined {
  const call = parseCall(raw)
  const event = isObject(call) ? textOf(call.event) : null
  if (!isObject(call) || event === null) return undefined
  const content = typeof call.content === 'string' ? parseCall(call.content) : call.content
  const account = textOf(call.user_openid)
  if (!isObject(content)) return [ignoredField(event, account, call)]
  const conversation = textOf(content.conversation_id)
  const sender = isObject(content.from_user) ? textOf(content.from_user.id) : null
  // The account itself has read a message.
  if (sender !== null && sender === account && event === 'im_mark_read_msg') return []
  if (conversation === null) return [ignoredField(event, account, content)]
  switch (event) {
    case 'im_receive_msg':
      return toMessage(content, account, conversation, now)
    case 'im_mark_read_msg':
      return toRead(content, account, conversation, now)
    case 'im_send_msg':
      return toEcho(content, account, conversation, now)
    case 'im_referral_msg':
      return toReferral(content, account, conversation, now)
    default:
      return [ignoredField(event, account, content)]
  }
}

/** The account wrote: through us, or in the app. `from` is the account's own name. */
function toEcho({ from: _, ...content }: Json, account: string | null, user_id: string, now: Date): Inbound[] {
  const items = toMessage(content, account, user_id, now, 'im_send_msg')
  return items.map((item) => (item.kind === 'message' ? echoOf(item, { origin: 'app' }) : item))
}

/** A person came by an advertisement or a link. */
function toReferral(content: Json, account: string | null, user_id: string, now: Date): Inbound[] {
  const { conversation_id: _, from_user, to_user, ...referral } = content
  const id = textOf(content.message_id) ?? `${user_id}:referral:${timeOf(content.timestamp, now).getTime()}`
  return toMessage({ ...content, type: 'referral', referral, message_id: id }, account, user_id, now)
}

/** The types that TikTok describes, and our own for a referral. */
const TYPES = new Set(['text', 'image', 'video', 'emoji', 'sticker', 'share_post', 'template', 'referral', 'unknown'])

function toMessage(
  content: Json,
  account: string | null,
  user_id: string,
  now: Date,
  event = 'im_receive_msg',
): Inbound[] {
  const id = textOf(content.message_id)
  if (id === null) return [ignoredField(event, account, content)]
  const at = timeOf(content.timestamp, now)
  const name = textOf(content.from)
  const said = textOf(content.type) ?? 'unknown'
  const is_known = TYPES.has(said)
  const type = is_known ? said : 'unsupported'
  const details = isObject(content[said]) ? content[said] : {}
  const node = is_known ? details : { kind: said, [said]: details }
  const files = filesOf(type, details, user_id, id)
  const quoted = isObject(content.referenced_message_info)
    ? textOf(content.referenced_message_info.referenced_message_id)
    : null
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  const context = quoted === null ? {} : { context: { id: quoted } }
  // The id of our store takes the place of the provider's.
  const payload = files.length > 0 ? { ...node, id: details.media_id } : node
  return [
    ...(is_known ? [] : [ignoredField(`${event}.${said}`, account, content)]),
    {
      kind: 'message',
      account,
      provider_message_id: id,
      user_id,
      name,
      at,
      type,
      message: { ...node, type },
      context: quoted === null ? null : { message_id: quoted },
      ...(files.length > 0 && { files }),
      value: {
        messaging_product: 'tiktok',
        metadata: { account_id: account },
        contacts: [{ ...(name !== null && { profile: { name } }), user_id }],
        messages: [{ from: user_id, id, timestamp, ...context, type, [type]: payload }],
      },
    },
  ]
}

/** TikTok's names for the kinds of files that it gives out. */
const FILES: Record<string, string> = { image: 'IMAGE', video: 'VIDEO' }

function filesOf(type: string, { media_id }: Json, conversation_id: string, message_id: string): InboundFile[] {
  const media_type = Object.hasOwn(FILES, type) ? FILES[type] : undefined
  if (media_type === undefined || textOf(media_id) === null) return []
  return [{ reference: { conversation_id, message_id, media_id, media_type } }]
}

function toRead(content: Json, account: string | null, user_id: string, now: Date): Inbound[] {
  if (!isObject(content.read)) return [ignoredField('im_mark_read_msg', account, content)]
  const at = timeOf(content.read.last_read_timestamp, now)
  const nothing = { provider_message_id: null, opaque: null, error: null, raw: null }
  return [{ kind: 'status', account, status: 'read', at, up_to: { user_id, at }, ...nothing }]
}

const FIRST_MS = 1_000_000_000_000
const LAST_MS = 10_000_000_000_000

/** Unix milliseconds. */
function timeOf(timestamp: unknown, now: Date): Date {
  const milliseconds = Number(textOf(timestamp) ?? Number.NaN)
  return milliseconds >= FIRST_MS && milliseconds < LAST_MS ? new Date(milliseconds) : now
}
