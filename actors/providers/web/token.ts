/**
 * Visitor tokens: `{user_id}.{made}.{secret}.{signature}`. The secret has 256 random bits, and only its hash is stored. The
 * signature covers the whole token and the channel, so a made-up token is refused without a look into the database. A
 * token of a session that said nothing is valid for a day; then the row of the session decides (`storage/sessions/visitor_sessions.ts`). A
 * new `visitor_secret` invalidates all tokens.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const VISITOR = /^visitor-[0-9a-f]{32}$/
const MADE = /^[0-9a-z]{1,9}$/
const SECRET = /^[\w-]{43}$/

/** `hash`: of the token, as it is stored. `made_s`: Unix seconds. */
export type VisitorToken = { visitor_token: string; user_id: string; hash: string; made_s: number }

export function newVisitorId(): string {
  return `visitor-${randomBytes(16).toString('hex')}`
}

export function newVisitorToken(channel_id: string, visitor_secret: string, user_id: string, now: Date): VisitorToken {
  const made_s = Math.floor(now.getTime() / 1000)
  const unsigned = `${user_id}.${made_s.toString(36)}.${randomBytes(32).toString('base64url')}`
  const visitor_token = `${unsigned}.${sign(visitor_secret, `session ${channel_id} ${unsigned}`)}`
  return { visitor_token, user_id, hash: hashOf(visitor_token), made_s }
}

/** Undefined when the token was not made for this channel under this secret. */
export function readVisitorToken(
  visitor_token: string,
  channel_id: string,
  visitor_secret: string,
): VisitorToken | undefined {
  const [user_id = '', made = '', secret = '', signature = '', rest] = visitor_token.split('.')
  if (rest !== undefined || !VISITOR.test(user_id) || !MADE.test(made) || !SECRET.test(secret)) return undefined
  const expected = sign(visitor_secret, `session ${channel_id} ${user_id}.${made}.${secret}`)
  if (visitor_secret === '' || !isSame(signature, expected)) return undefined
  return { visitor_token, user_id, hash: hashOf(visitor_token), made_s: Number.parseInt(made, 36) }
}

/**
 * A value that only we can have written for this channel, of this kind: `{value}.{signature}`. It is not secret. Used for
 * the permission to upload a file, and for the file that was uploaded.
 */
export function sealNote(kind: string, channel_id: string, visitor_secret: string, value: object): string {
  const text = Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${text}.${sign(visitor_secret, `${kind} ${channel_id} ${text}`)}`
}

/** The value of `sealNote`; undefined when we did not write it, or for another kind or channel. */
export function openNote(kind: string, channel_id: string, visitor_secret: string, note: string): unknown {
  const [text = '', signature = '', rest] = note.split('.')
  if (rest !== undefined || visitor_secret === '') return undefined
  if (!isSame(signature, sign(visitor_secret, `${kind} ${channel_id} ${text}`))) return undefined
  return JSON.parse(Buffer.from(text, 'base64url').toString())
}

function sign(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url')
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

function isSame(actual: string, expected: string): boolean {
  const [one, other] = [Buffer.from(actual), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
