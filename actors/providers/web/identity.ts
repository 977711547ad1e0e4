/**
 * Identity tokens: a site says who its visitor is. A token is a JSON Web Token (RFC 7519) with HS256 under the channel's
 * `identity_secret`, made by the site's server. Nothing that is not signed is believed.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { isObject, type Json } from '../json.ts'

/** The person, by the site's id (`sub`). Null: the site does not say. */
export type IdentityClaims = { external_id: string; name: string | null; email: string | null; phone: string | null }

const MAX_TOKEN_LENGTH = 4096
/** Seconds from now to the latest `exp`: a token that leaks is soon worthless. */
const MAX_S = 24 * 3600
/** Difference of the clocks, in seconds. */
const SKEW_S = 60
const PART = /^[\w-]{2,4000}$/
const ID = /^[\x21-\x7e]{1,128}$/
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,190}$/
const PHONE = /^\+[1-9]\d{6,14}$/
const MAX_NAME_LENGTH = 200

/** The claims, or the reason why the token is refused: a sentence for the developer of the site. */
export function readIdentity(
  token: unknown,
  channel_id: string,
  secrets: readonly string[],
  now: Date,
): { claims: IdentityClaims } | { refusal: string } {
  if (typeof token !== 'string' || token.length > MAX_TOKEN_LENGTH)
    return refused('is no text of at most 4096 characters')
  const parts = token.split('.')
  if (parts.length !== 3 || !parts.every((part) => PART.test(part))) return refused('is no JSON Web Token')
  if (secrets.length === 0) return refused('cannot be checked: the channel has no identity_secret')
  const [head = '', body = '', signature = ''] = parts
  // Signed first: nothing of a forged token is parsed.
  if (!secrets.some((secret) => isSigned(secret, `${head}.${body}`, signature)))
    return refused('is not signed with the identity_secret of this channel')
  const header = parsed(head)
  const claims = parsed(body)
  if (header?.alg !== 'HS256' || header.crit !== undefined) return refused('must have the algorithm HS256')
  return claims ? readClaims(claims, channel_id, now) : refused('has no claims')
}

function readClaims(claims: Json, channel_id: string, now: Date): { claims: IdentityClaims } | { refusal: string } {
  const { sub, aud, exp, nbf, name, email, phone_number: phone } = claims
  const now_s = now.getTime() / 1000
  if (aud !== channel_id) return refused('must name this channel in aud')
  if (typeof exp !== 'number') return refused('must have a time of expiry, exp')
  if (exp <= now_s - SKEW_S) return refused('has expired')
  if (exp > now_s + MAX_S + SKEW_S) return refused('must expire within 24 hours')
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= now_s + SKEW_S)) return refused('is not valid yet')
  if (typeof sub !== 'string' || !ID.test(sub))
    return refused('must have the id of the person in sub: 1 to 128 printable ASCII characters without spaces')
  if (!isAbsent(name) && !(typeof name === 'string' && name.length <= MAX_NAME_LENGTH))
    return refused('has a name of more than 200 characters')
  if (!isAbsent(email) && !(typeof email === 'string' && EMAIL.test(email))) return refused('has an email that is none')
  if (!isAbsent(phone) && !(typeof phone === 'string' && PHONE.test(phone)))
    return refused('has a phone_number that is not in the form +15551234567')
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? clean(value) : null)
  return { claims: { external_id: sub, name: text(name), email: text(email), phone: text(phone) } }
}

const isAbsent = (value: unknown) => value === undefined || value === null || value === ''

const refused = (why: string) => ({ refusal: `The identity token ${why}.` })

function isSigned(secret: string, text: string, signature: string): boolean {
  const expected = Buffer.from(createHmac('sha256', secret).update(text).digest('base64url'))
  const bytes = Buffer.from(signature)
  return bytes.length === expected.length && timingSafeEqual(bytes, expected)
}

function parsed(part: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** One line that PostgreSQL can store. */
function clean(text: string): string {
  return text
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
    .trim()
}
