import { type Answer, ControlRefusal, ok } from '../answer.ts'
import type { AccountChannel } from '../options.ts'
import type { World } from '../provider.ts'
import { isElsewhere, type ThreadHolder } from '../threads.ts'
import type { WebhookOutcome } from '../webhook_sender.ts'
import { type Event, eventOf, notify } from './callbacks.ts'
import type { PageFiles } from './files.ts'
import { messageId } from './send.ts'
import { APP_IDS } from './thread_control.ts'

type Json = Record<string, unknown>

const FIELDS = ['channel', 'from', 'message', 'name', 'account_id', 'context', 'id', 'timestamp', 'by_business']
/** Events other than messages, in the format of a webhook call. */
const EVENTS = [
  ...['postback', 'reaction', 'read', 'delivery', 'optin', 'referral', 'message_edit', 'account_linking'],
  ...['messaging_feedback', 'messaging_customer_information', 'order', 'pass_thread_control'],
]
const FILES: Record<string, string> = { image: 'image', video: 'video', audio: 'audio', document: 'file', file: 'file' }

/** Types of files without `mime_type`; all others are pictures. */
const USUAL: Record<string, string> = {
  video: 'video/mp4',
  audio: 'audio/ogg',
  document: 'application/pdf',
  file: 'application/pdf',
}

/** Keeps the file of a person and returns its address. */
type Keep = (file: Json) => string

/** Sends a person's action through the webhook of an account and returns the receiver's answer. Throws ControlRefusal. */
export async function injectInbound(
  world: World,
  channel: AccountChannel,
  files: PageFiles,
  { body, host }: { body: Json; host: string },
): Promise<Answer> {
  for (const key of Object.keys(body))
    if (!FIELDS.includes(key)) throw new ControlRefusal(`inbound has no field "${key}"; it takes ${FIELDS.join(', ')}.`)
  const { from } = body
  if (typeof from !== 'string' || from === '')
    throw new ControlRefusal('from is missing: the scoped id of the person who writes, e.g. "6543210987654321".')
  const account = world.accounts.choose(channel, body.account_id)
  const id = typeof body.id === 'string' ? body.id : messageId(channel)
  const timestamp = typeof body.timestamp === 'number' ? body.timestamp : world.now()
  const keep: Keep = (file) => files.add(account, id, host, file)
  const base = eventOf(account, from, timestamp, fieldsOf(id, body.message, quotedOf(body.context), keep))
  const by_business = body.by_business === true
  const { threads } = world
  const holder = by_business ? threads.holderOf(account.account_id, from) : threads.write(account.account_id, from)
  const event = by_business ? echoOf(base, holder) : base
  const list = isElsewhere(holder) ? 'standby' : 'messaging'
  if (event === base && opensWindow(event)) world.accounts.windows(channel).open(account.account_id, from)
  const outcome = await new Promise<WebhookOutcome>((resolve) =>
    notify(world, account, event, `message ${id}`, resolve, list),
  )
  return ok({ provider_message_id: id, account_id: account.account_id, event, webhook: outcome })
}

/** The same message, written to the person in Meta's own app. */
function echoOf({ sender, recipient, message, ...event }: Event, holder: ThreadHolder): Event {
  if (message === undefined) throw new ControlRefusal('by_business needs a message, not another event.')
  const echo = { is_echo: true, app_id: isElsewhere(holder) ? APP_IDS[holder] : APP_IDS.app, ...(message as Json) }
  return { sender: recipient, recipient: sender, ...event, message: echo }
}

/** A person who writes or presses a button; what is read, edited or withdrawn opens no window. */
function opensWindow({ message, postback, reaction }: Event): boolean {
  return Boolean(postback ?? reaction ?? message) && (message as Json | undefined)?.is_deleted !== true
}

function quotedOf(context: unknown): string | undefined {
  if (context === undefined || context === null) return undefined
  const { message_id } = context as Json
  if (typeof message_id === 'string') return message_id
  throw new ControlRefusal('context needs message_id, the provider id of the quoted message.')
}

/** Accepts a text, a message in WhatsApp's format (it has a `type`), or the fields of an event in a webhook call. */
function fieldsOf(mid: string, message: unknown, quoted: string | undefined, keep: Keep): Event {
  const reply_to = quoted === undefined ? {} : { reply_to: { mid: quoted } }
  if (typeof message === 'string') return { message: { mid, text: message, ...reply_to } }
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    throw new ControlRefusal('message must be a text or an object such as {"type":"text","text":{"body":"Hi"}}.')
  const fields = message as Json
  if (typeof fields.type === 'string') {
    const { story } = fields
    const answered =
      typeof story === 'object' && story !== null ? { reply_to: { story: storyOf(story as Json, keep) } } : reply_to
    return ofType(mid, fields.type, fields, { reply_to: answered, keep })
  }
  const event = EVENTS.find((name) => typeof fields[name] === 'object' && fields[name] !== null)
  if (event === undefined) return { message: { mid, ...reply_to, ...fields } }
  return event === 'postback' ? { postback: { mid, ...(fields.postback as Json) } } : { [event]: fields[event] }
}

/** The story that a message answers: `id`, and `data` and `mime_type` of its file or `link`, as those of a message. */
function storyOf({ id = '17900000000000000', link, data, mime_type }: Json, keep: Keep): Json {
  return { url: link ?? keep({ data, mime_type }), id }
}

function ofType(mid: string, type: string, message: Json, { reply_to, keep }: { reply_to: Json; keep: Keep }): Event {
  const node = (typeof message[type] === 'object' && message[type] !== null ? message[type] : {}) as Json
  if (type === 'text') return { message: { mid, text: String(node.body ?? ''), ...reply_to } }
  if (type === 'reaction') {
    const action = node.emoji ? 'react' : 'unreact'
    const what = node.emoji ? { reaction: 'other', emoji: node.emoji } : {}
    return { reaction: { mid: node.message_id, action, ...what } }
  }
  if (type === 'interactive') {
    const reply = node[String(node.type)] as Json | undefined
    if (!reply) throw new ControlRefusal('message.interactive needs type and the node of that name, with id and title.')
    return { message: { mid, text: reply.title, quick_reply: { payload: reply.id }, ...reply_to } }
  }
  const { link, caption, data, mime_type, filename, ...rest } = node
  const sticker = type === 'sticker' ? { sticker_id: 369239263222822 } : {}
  // Meta tells neither type nor name of a file.
  const payload = { url: link ?? keep({ data, mime_type: mime_type ?? USUAL[type], filename }), ...sticker, ...rest }
  const attachment = { type: FILES[type] ?? (type === 'sticker' ? 'image' : type), payload }
  return { message: { mid, ...(caption !== undefined && { text: caption }), attachments: [attachment], ...reply_to } }
}
