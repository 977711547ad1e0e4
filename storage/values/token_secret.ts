import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/**
 * The text of a personal access token: `svc_pk_`, 32 random base62 characters, and 6 base62 characters of the CRC-32 of
 * everything before them. The check lets scanners and the server discard mangled ones without a look-up. Keys of
 * operators have the same form.
 */
const tokenPrefix = 'svc_pk_'
const operatorPrefix = 'svc_ok_'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 32
const shape = new RegExp(`^[0-9A-Za-z]{${randomLength + 6}}$`)

export type TokenSecret = {
  /** The whole token; shown once and never stored. */
  token: string
  /** Its first characters, stored so that people can recognise it. */
  prefix: string
  /** Hex SHA-256 of the whole token, the only thing stored. */
  hash: string
}

export function generateTokenSecret(): TokenSecret {
  return generate(tokenPrefix)
}

/** A new key of an operator. */
export function generateOperatorKey(): TokenSecret {
  return generate(operatorPrefix)
}

function generate(prefix: string): TokenSecret {
  const body = prefix + randomBase62(randomLength)
  const token = body + checksum(body)
  return { token, prefix: token.slice(0, prefix.length + 4), hash: hashToken(token) }
}

/** True when the text can be a token at all: prefix, length, alphabet and check digits. */
export function isWellFormedToken(text: string): boolean {
  return isWellFormed(tokenPrefix, text)
}

/** The same for a key of an operator. */
export function isWellFormedOperatorKey(text: string): boolean {
  return isWellFormed(operatorPrefix, text)
}

function isWellFormed(prefix: string, text: string): boolean {
  const is_shaped = text.startsWith(prefix) && shape.test(text.slice(prefix.length))
  return is_shaped && checksum(text.slice(0, -6)) === text.slice(-6)
}

/** Hex SHA-256, the key for looking tokens up. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let index = 0; index < 6; index++) {
    digits = alphabet[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      // 248 is the largest multiple of 62 in a byte; values above it would favour the first letters.
      if (byte < 248 && text.length < length) text += alphabet[byte % 62]
    }
  }
  return text
}
