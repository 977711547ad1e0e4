/**
 * The data of a button, which come back when it is pressed. Telegram takes 1 to 64 bytes and our ids may have 256
 * characters, so a longer id is sent as a token made of its hash. Nothing is stored for it: the message with the
 * keyboard is stored, the update about the press names that message (`context`), and the id is the choice of that
 * message which has this token.
 *
 * - `order-7`    the id of a button
 * - `#l=row-3`   the id of a list's row; `#b=` that of a button whose id begins with `#`
 * - `#b:<hash>`, `#l:<hash>`   a token
 */
import { createHash } from 'node:crypto'
import type { Payload } from '../payload.ts'

type Choice = 'button_reply' | 'list_reply'

const MAX_BYTES = 64
const MARKS = { button_reply: 'b', list_reply: 'l' } as const

export function callbackData(kind: Choice, id: string): string {
  const data = kind === 'button_reply' && !id.startsWith('#') ? id : `#${MARKS[kind]}=${id}`
  if (Buffer.byteLength(data) <= MAX_BYTES) return data
  return `#${MARKS[kind]}:${createHash('sha256').update(id).digest('base64url')}`
}

/** The pressed choice, in WhatsApp's format. A token stands as `id` until it is resolved, marked by `id_is_token`. */
export function choiceOf(data: string): { kind: Choice; id: string; id_is_token?: true } {
  const [, mark, form, rest = ''] = /^#([bl])([=:])(.+)$/s.exec(data) ?? []
  const kind = mark === 'l' ? 'list_reply' : 'button_reply'
  if (form === undefined) return { kind, id: data }
  return form === '=' ? { kind, id: rest } : { kind, id: data, id_is_token: true }
}

/** Resolves a token against the choices of the message that was sent with it. Undefined: no choice has this token. */
export function idOfToken(token: string, sent: Payload): string | undefined {
  const { kind } = choiceOf(token)
  return choicesOf(sent).find(({ id }) => callbackData(kind, id) === token)?.id
}

function choicesOf(sent: Payload): { id: string }[] {
  if (sent.type === 'buttons') return sent.buttons
  return sent.type === 'list' ? sent.sections.flatMap(({ rows }) => rows) : []
}
