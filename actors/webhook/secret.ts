import { randomBytes } from 'node:crypto'

const SCHEME = 'whsec_'
const BYTES = 32
const PREFIX_LENGTH = 12

/** A new signing secret: `whsec_` and 32 random bytes as base64. */
export function makeSecret(): string {
  return SCHEME + randomBytes(BYTES).toString('base64')
}

/** The part of a secret that may be shown after its creation. */
export function secretPrefix(secret: string): string {
  return secret.slice(0, PREFIX_LENGTH)
}

/** The bytes inside a secret: the key of the Standard Webhooks signature. */
export function secretBytes(secret: string): Buffer {
  return Buffer.from(secret.slice(SCHEME.length), 'base64')
}
