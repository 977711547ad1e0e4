/**
 * Visitor tokens. A token proves the visitor's identity to any node, with nothing stored: it has the id and a signature
 * over the id and the channel with the channel's `visitor_secret`. It does not expire, because a browser may come back
 * after a year; a new secret invalidates all tokens.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const VISITOR = /^visitor-[0-9a-f]{32}$/

export type Visitor = { user_id: string; visitor_token: string }

export function newVisitor(channel_id: string, visitor_secret: string): Visitor {
  const user_id = `visitor-${randomBytes(16).toString('hex')}`
  return { user_id, visitor_token: `${user_id}.${sign(channel_id, visitor_secret, user_id).toString('base64url')}` }
}

/** The `user_id`; undefined when the token was not issued for this channel under this secret. */
export function readVisitorToken(token: string, channel_id: string, visitor_secret: string): string | undefined {
  const [user_id = '', signature = '', rest] = token.split('.')
  if (rest !== undefined || !VISITOR.test(user_id) || visitor_secret === '') return undefined
  const given = Buffer.from(signature, 'base64url')
  const expected = sign(channel_id, visitor_secret, user_id)
  return given.length === expected.length && timingSafeEqual(given, expected) ? user_id : undefined
}

function sign(channel_id: string, visitor_secret: string, user_id: string): Buffer {
  return createHmac('sha256', visitor_secret).update(`visitor ${channel_id} ${user_id}`).digest()
}
