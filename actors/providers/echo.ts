import { type Json, objects } from './json.ts'
import type { InboundEcho, InboundMessage } from './provider.ts'

/** A message that the business wrote, from one that was read as if the person had written it. */
export function echoOf(
  { kind: _, avatar: __, phone: ___, browser: ____, becomes: _____, ...message }: InboundMessage,
  { origin, opaque = null }: Pick<InboundEcho, 'origin'> & { opaque?: string | null },
): InboundEcho {
  const messages = objects(message.value.messages).map(addressed)
  return { ...message, kind: 'echo', origin, opaque, value: { ...message.value, messages } }
}

/** The person is not the sender. */
function addressed(message: Json): Json {
  return Object.fromEntries(
    Object.entries(message).map(([field, value]) => [field.replace(/^from(?=$|_)/, 'to'), value]),
  )
}

/** Our id of a message, where a provider returns it. */
export function ownIdIn(text: string | null): string | null {
  return text !== null && /^msg_[0-9a-f]{24}$/.test(text) ? text : null
}
