/**
 * Validates a message of a visitor's page. Anyone may write such a page: everything is checked, and nothing it claims
 * about others is trusted.
 */
import { storable } from '../../values/storable.ts'
import { isObject, type Json } from '../json.ts'

/** `id` is made by the page, the same for every attempt. `about`: the `ref` of a message of ours. */
export type VisitorInput =
  | { id: string; type: 'text'; body: string }
  | { id: string; type: 'button_reply' | 'list_reply'; about: string; reply: { id: string; title: string } }
  | { id: string; type: 'reaction'; about: string; emoji: string }
  /** `file`: what the upload was answered with. */
  | { id: string; type: 'file'; file: string; caption?: string }

/** The validation error, for the page. */
export type Unsaid = { error: { code: string; message: string } }

const MAX_TEXT_LENGTH = 4096
const MAX_REPLY_LENGTH = 256
const MAX_EMOJI_LENGTH = 64
const MAX_CAPTION_LENGTH = 1024
const MAX_FILE_LENGTH = 2048
const OUR_REF = /^web-msg_[0-9a-z]{1,64}$/

export function readVisitorInput(value: unknown): VisitorInput | Unsaid {
  if (!isObject(value)) return malformed('must be an object')
  const { id, type } = value
  if (typeof id !== 'string' || !/^[\w-]{8,64}$/.test(id))
    return malformed('id must have 8 to 64 letters, digits, dashes')
  switch (type) {
    case 'text': {
      const { body } = value
      if (typeof body !== 'string' || body.trim() === '') return malformed('body must be a text')
      return body.length > MAX_TEXT_LENGTH ? tooLong(MAX_TEXT_LENGTH) : { id, type, body: storable(body) }
    }
    case 'button_reply':
    case 'list_reply': {
      const about = refIn(value)
      const reply = isObject(value.reply) ? value.reply : {}
      if (about === undefined || !isShort(reply.id, MAX_REPLY_LENGTH) || !isShort(reply.title, MAX_REPLY_LENGTH))
        return malformed('reply needs id and title, and about the message they belong to')
      return { id, type, about, reply: { id: storable(reply.id), title: storable(reply.title) } }
    }
    case 'reaction': {
      const about = refIn(value)
      const { emoji } = value
      if (about === undefined || typeof emoji !== 'string' || emoji.length > MAX_EMOJI_LENGTH)
        return malformed('a reaction needs an emoji, and about the message it is for')
      return { id, type, about, emoji: storable(emoji) }
    }
    case 'file': {
      const { file, caption = '' } = value
      if (typeof file !== 'string' || file.length > MAX_FILE_LENGTH)
        return malformed('file must be what the upload answered')
      if (typeof caption !== 'string') return malformed('caption must be a text')
      if (caption.length > MAX_CAPTION_LENGTH) return tooLong(MAX_CAPTION_LENGTH)
      return { id, type, file, ...(caption.trim() !== '' && { caption: storable(caption) }) }
    }
    default:
      return malformed('type must be text, button_reply, list_reply, reaction or file')
  }
}

function refIn({ about }: Json): string | undefined {
  return typeof about === 'string' && OUR_REF.test(about) ? about : undefined
}

function isShort(value: unknown, most: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= most
}

function malformed(message: string): Unsaid {
  return { error: { code: 'MALFORMED', message } }
}

function tooLong(most: number): Unsaid {
  return { error: { code: 'TOO_LONG', message: `A message has at most ${most} characters.` } }
}
