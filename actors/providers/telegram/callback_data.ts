/**
 * What a button carries to come back when it is pressed. Telegram takes 1 to 64 bytes, our ids may have 256 characters, so
 * a longer id goes as a token made of its hash. Nothing is kept for it: the message the keyboard was sent with is stored,
 * the pressed button's update names that message (`context`), and the id is the one of its buttons that has this token.
 */
import { createHash } from 'node:crypto'
import type { Payload } from '../payload.ts'

const MOST_BYTES = 64
/** Ids of users that begin like a token go as tokens too, so that each stands for one id only. */
const TOKEN = '#:'

export function callbackData(id: string): string {
  if (Buffer.byteLength(id) <= MOST_BYTES && !id.startsWith(TOKEN)) return id
  return TOKEN + createHash('sha256').update(id).digest('base64url')
}

export function isToken(data: string): boolean {
  return data.startsWith(TOKEN)
}

/** The id that a token stands for, by the message that was sent with it. Undefined: no button of it has this token. */
export function idOfToken(token: string, sent: Payload): string | undefined {
  const choices =
    sent.type === 'buttons' ? sent.buttons : sent.type === 'list' ? sent.sections.flatMap(({ rows }) => rows) : []
  return choices.find(({ id }) => callbackData(id) === token)?.id
}
