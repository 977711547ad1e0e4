import { randomBytes } from 'node:crypto'

const SCHEME = 'whsec_'
const BYTES = 32
const PREFIX_LENGTH = 12

/** A new signing secret, with what of it may be shown later. */
export function generateSecret(): { secret: string; secret_prefix: string } {
  const secret = SCHEME + randomBytes(BYTES).toString('base64')
  return { secret, secret_prefix: secret.slice(0, PREFIX_LENGTH) }
}

/** The bytes inside a secret: the key of the Standard Webhooks signature. */
export function secretBytes(secret: string): Buffer {
  return Buffer.from(secret.slice(SCHEME.length), 'base64')
}
