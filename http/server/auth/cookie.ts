/** The session cookie. Its value is random, and only a hash of it is stored. */
import { createHash, randomBytes } from 'node:crypto'
import { MAX_SESSION_S } from '../../../storage/mod.ts'

const NAME = 'parley_session'
/** 32 bytes in base64url. */
const VALUE = new RegExp(`(?:^|;) *${NAME}=([\\w-]{43})(?= *(?:;|$))`)

export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** The hash under which a session is stored, hex. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** The hash of the session in a `Cookie` header, whether that session exists or not. */
export function sessionHash(header: string | undefined): string | undefined {
  const secret = VALUE.exec(header ?? '')?.[1]
  return secret === undefined ? undefined : hashOf(secret)
}

/** A whole header line. Scripts cannot read the cookie, and pages of other sites cannot send it. */
export function cookieLine(secret: string, is_secure: boolean): string {
  return line(secret, MAX_SESSION_S, is_secure)
}

/** A whole header line that deletes the cookie in the browser. */
export function clearedCookieLine(is_secure: boolean): string {
  return line('', 0, is_secure)
}

function line(value: string, max_age_s: number, is_secure: boolean): string {
  const secure = is_secure ? '; Secure' : ''
  return `Set-Cookie: ${NAME}=${value}; Path=/console; HttpOnly; SameSite=Strict; Max-Age=${max_age_s}${secure}\r\n`
}
