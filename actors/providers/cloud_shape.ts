/** Builds WhatsApp's cloud webhook format for messages from other providers. */
import { isObject, type Json } from './json.ts'
import type { InboundMessage } from './provider.ts'

export type Said = {
  /** Name of the product in events, such as `telegram`. */
  messaging_product: string
  /** The receiving account. */
  metadata: Json
  provider_message_id: string
  /** The sender, as the contact's `user_id`; null when only `bsuid` is known. */
  user_id: string | null
  bsuid?: string | null
  name: string | null
  at: Date
  type: string
  /** The node of the type: `{ body }` of a text. A file has its `id` and `mime_type`. */
  node: Json | Json[]
  /** The provider's id of the quoted or answered message. */
  context?: string | null
  /** Fields beside the node, in the event and in the record, such as `forwarded`. */
  around?: Json | undefined
  /** Facts by which the adapter fetches the file that the message is. */
  file?: Json | undefined
}

export function inboundMessage(said: Said): InboundMessage {
  const { messaging_product, metadata, provider_message_id, user_id, bsuid = null, name, at, type, node } = said
  const context = said.context ?? null
  const { around = {} } = said
  // WhatsApp tells of forwards where it names the answered message.
  const { forwarded, frequently_forwarded, ...beside } = around
  const in_context = {
    ...(context !== null && { id: context }),
    ...(forwarded !== undefined && { forwarded }),
    ...(frequently_forwarded !== undefined && { frequently_forwarded }),
  }
  const person =
    messaging_product === 'whatsapp'
      ? { ...(user_id !== null && { wa_id: user_id }), ...(bsuid !== null && { user_id: bsuid }) }
      : { user_id }
  const message = {
    from: user_id ?? bsuid,
    id: provider_message_id,
    timestamp: String(Math.floor(at.getTime() / 1000)),
    type,
    ...(Object.keys(in_context).length > 0 && { context: in_context }),
    ...beside,
    [type]: node,
  }
  const contact = { profile: { ...(name !== null && { name }) }, ...person }
  return {
    kind: 'message',
    account: null,
    provider_message_id,
    user_id,
    bsuid,
    name,
    at,
    type,
    message: { ...around, ...contentOf(type, node) },
    context: context === null ? null : { message_id: context },
    ...(said.file && { files: [{ reference: said.file }] }),
    value: { messaging_product, metadata, contacts: [contact], messages: [message] },
  }
}

/** The fields of the node beside the type, with our name for a file's id. */
function contentOf(type: string, node: Json | Json[]): Json {
  if (!isObject(node)) return { type, [type]: node }
  if (typeof node.id === 'string' && typeof node.mime_type === 'string') {
    const { id, ...rest } = node
    return { ...rest, media_id: id, type }
  }
  return { ...node, ...(node.type !== undefined && { [`${type}_type`]: node.type }), type }
}
