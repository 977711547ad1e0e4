import { randomUUID } from 'node:crypto'
import { type Answer, ControlRefusal, ok } from '../answer.ts'
import type { World } from '../provider.ts'
import type { ReceivedFiles } from '../received_files.ts'
import type { WebhookOutcome } from '../webhook_sender.ts'
import { contentOf, notify } from './callbacks.ts'

type Json = Record<string, unknown>

const FIELDS = ['channel', 'from', 'message', 'name', 'account_id', 'context', 'id', 'timestamp', 'by_business']

/** Sends a conversation's message through the webhook of an account and returns the receiver's answer. Throws ControlRefusal. */
export async function injectInbound(world: World, files: ReceivedFiles, body: Json): Promise<Answer> {
  for (const key of Object.keys(body))
    if (!FIELDS.includes(key)) throw new ControlRefusal(`inbound has no field "${key}"; it takes ${FIELDS.join(', ')}.`)
  const { from } = body
  if (typeof from !== 'string' || from === '')
    throw new ControlRefusal('from is missing: the id of the conversation in which the person writes.')
  const account = world.accounts.choose('tiktok', body.account_id)
  const message_id = typeof body.id === 'string' ? body.id : randomUUID()
  const timestamp = typeof body.timestamp === 'number' ? body.timestamp : world.now()
  const name = typeof body.name === 'string' ? body.name : 'simulated_person'
  const quoted = (body.context as Json | undefined)?.message_id
  const is_own = body.by_business === true
  const envelope = contentOf(account, from, timestamp, name)
  const content = {
    ...(is_own ? reversed(envelope) : envelope),
    message_id,
    ...typedOf(body.message, message_id, files),
    ...(quoted !== undefined && { referenced_message_info: { referenced_message_id: quoted } }),
  }
  if (!is_own) world.accounts.windows('tiktok').open(account.account_id, from)
  const outcome = await new Promise<WebhookOutcome>((resolve) =>
    notify(world, account, is_own ? 'im_send_msg' : 'im_receive_msg', content, `message ${message_id}`, resolve),
  )
  return ok({ provider_message_id: message_id, account_id: account.account_id, content, webhook: outcome })
}

/** The envelope of what the account writes to the person. */
function reversed({ from, from_user, to, to_user, ...envelope }: ReturnType<typeof contentOf>): Json {
  return { ...envelope, from: to, from_user: to_user, to: from, to_user: from_user }
}

/** A text, or an object with a type and the node of that name. The files of pictures and videos are kept. */
function typedOf(message: unknown, message_id: string, files: ReceivedFiles): Json {
  if (typeof message === 'string') return { type: 'text', text: { body: message } }
  if (typeof message !== 'object' || message === null || typeof (message as Json).type !== 'string')
    throw new ControlRefusal('message must be a text or an object such as {"type":"text","text":{"body":"Hi"}}.')
  const { type, ...rest } = message as Json & { type: string }
  if (type !== 'image' && type !== 'video') return { type, ...rest }
  const usual = type === 'video' ? { mime_type: 'video/mp4' } : {}
  return { type, [type]: files.add(message_id, { ...usual, ...((rest[type] ?? {}) as Json) }) }
}
