import type { Message } from '../../../storage/mod.ts'
import { isObject } from '../../providers/json.ts'

const FILES = ['image', 'video', 'audio', 'document', 'sticker']

/** True where a message that a provider tells back may be this one of ours: it has its words, or is a file like it. */
export function isSameContent(
  ours: Pick<Message, 'message' | 'type'>,
  theirs: Pick<Message, 'message' | 'type'>,
): boolean {
  const words = wordsOf(theirs.message)
  if (words !== '' || theirs.type === 'text') return words === wordsOf(ours.message)
  if (FILES.includes(theirs.type)) return FILES.includes(ours.type)
  return theirs.type === ours.type
}

/** The text of a message in the API's format, in that of WhatsApp, or as it was told. */
function wordsOf(message: Record<string, unknown>): string {
  const { body, body_text, caption, text } = message
  const found = body ?? body_text ?? caption ?? (isObject(text) ? text.body : undefined)
  return typeof found === 'string' ? found.trim() : ''
}
