/** Resolves a pressed button whose id was sent as a token: the id is found in the message that the button belongs to. */
import { isObject, type Json } from './json.ts'
import type { InboundMessage } from './provider.ts'

/** The provider's id of the message in which the token has to be looked up. Undefined: there is no token. */
export function tokenIsOf({ message, context }: InboundMessage): string | undefined {
  return choiceIn(message)?.id_is_token === true ? context?.message_id : undefined
}

/**
 * Replaces the token by the id, in the stored and in the published form. Unchanged when `idOfToken` knows no such choice.
 */
export function withChoice(item: InboundMessage, idOfToken: (token: string) => string | undefined): InboundMessage {
  const token = choiceIn(item.message)?.id
  const id = typeof token === 'string' ? idOfToken(token) : undefined
  if (id === undefined) return item
  const named = (node: Json): Json => {
    const kind = kindIn(node)
    if (kind === undefined) return node
    const { id_is_token: _, ...choice } = node[kind] as Json
    return { ...node, [kind]: { ...choice, id } }
  }
  const [message] = item.value.messages as [Json]
  const interactive = named(message.interactive as Json)
  return { ...item, message: named(item.message), value: { ...item.value, messages: [{ ...message, interactive }] } }
}

function kindIn(node: Json): 'button_reply' | 'list_reply' | undefined {
  return (['button_reply', 'list_reply'] as const).find((kind) => isObject(node[kind]))
}

function choiceIn(message: Json): Json | undefined {
  const kind = kindIn(message)
  return kind && (message[kind] as Json)
}
