/** Verifies deliveries: the headers of Standard Webhooks (standardwebhooks.com), with WebCrypto alone. */
import { ParleyError } from './errors.ts'
import type { ParleyEvent } from './generated/types.ts'

/** The delivery is not genuine, too old, or incomplete. Answer it with 400 and do nothing else. */
export class WebhookVerificationError extends ParleyError {
  override readonly name: string = 'WebhookVerificationError'
}

/** The headers of a request: of `fetch`, of Node (`request.headers`), or a plain object with names in any case. */
export type HeadersLike =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** A key as JWK: `kty` OKP and `crv` Ed25519. Keys of other kinds are left out. */
export type PublicKey = { kty?: string; crv?: string; x?: string }

export type VerifyOptions = {
  /** The secret of the subscription, `whsec_…`. Several while a secret is being replaced. */
  secret?: string | readonly string[] | undefined
  /** Public Ed25519 keys, as the members of a JWKS. A delivery with a valid `v1a` of one of them is genuine, too. */
  keys?: readonly PublicKey[] | undefined
  /** Seconds by which the time of the delivery and the time here may differ. 300 by default. */
  tolerance_s?: number
  /** The time here, in milliseconds since 1970. That of the machine by default. */
  now_ms?: number
}

/**
 * The event of a delivery. `body` is the body as it came, before any JSON parser.
 * @throws {WebhookVerificationError} unless the delivery is genuine and fresh
 */
export async function verifyWebhook<Event = ParleyEvent>(
  body: string | Uint8Array,
  headers: HeadersLike,
  { secret, keys = [], tolerance_s = 300, now_ms = Date.now() }: VerifyOptions,
): Promise<Event> {
  const secrets = typeof secret === 'string' ? [secret] : (secret ?? [])
  if (secrets.length + keys.length === 0) throw new TypeError('verifyWebhook needs a secret or keys')
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => header(headers, `webhook-${name}`))
  if (!id || !timestamp || !signatures) throw new WebhookVerificationError('a webhook-… header is missing')
  if (!/^\d{1,12}$/.test(timestamp) || !(Math.abs(now_ms / 1000 - Number(timestamp)) <= tolerance_s)) {
    throw new WebhookVerificationError('the time of the delivery is too far from the time here')
  }
  const signed = joined(`${id}.${timestamp}.`, body)
  const candidates = signatures.split(' ').slice(0, MAX_SIGNATURES)
  const symmetric = await Promise.all(secrets.map((one) => isSignedWith(one, signed, bytesOf(candidates, 'v1,'))))
  const asymmetric = await Promise.all(keys.map((key) => isSignedBy(key, signed, bytesOf(candidates, 'v1a,'))))
  if (![...symmetric, ...asymmetric].includes(true)) throw new WebhookVerificationError('no signature is genuine')
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  return JSON.parse(text) as Event
}

/** A sender has one per secret and key. More would only cost time. */
const MAX_SIGNATURES = 20

type Bytes = Uint8Array<ArrayBuffer>

/** `crypto.subtle.verify` compares in constant time. */
async function isSignedWith(secret: string, signed: Bytes, signatures: Bytes[]): Promise<boolean> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''))
  if (bytes === undefined || bytes.length === 0) throw new TypeError('the secret must be whsec_ and base64')
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify'])
  const genuine = await Promise.all(signatures.map((one) => crypto.subtle.verify('HMAC', key, one, signed)))
  return genuine.includes(true)
}

async function isSignedBy({ kty, crv, x }: PublicKey, signed: Bytes, signatures: Bytes[]): Promise<boolean> {
  if (kty !== 'OKP' || crv !== 'Ed25519' || x === undefined || signatures.length === 0) return false
  const jwk = { kty, crv, x }
  const key = await crypto.subtle.importKey('jwk', jwk, { name: 'Ed25519' }, false, ['verify'])
  const genuine = await Promise.all(signatures.map((one) => crypto.subtle.verify('Ed25519', key, one, signed)))
  return genuine.includes(true)
}

/** The signatures of one version. */
function bytesOf(signatures: string[], version: string): Bytes[] {
  return signatures
    .filter((one) => one.startsWith(version))
    .map((one) => fromBase64(one.slice(version.length)))
    .filter((bytes) => bytes !== undefined)
}

function fromBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function joined(prefix: string, body: string | Uint8Array): Bytes {
  const encoder = new TextEncoder()
  const [head, tail] = [encoder.encode(prefix), typeof body === 'string' ? encoder.encode(body) : body]
  const bytes = new Uint8Array(head.length + tail.length)
  bytes.set(head)
  bytes.set(tail, head.length)
  return bytes
}

function header(headers: HeadersLike, name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined
  const fields = Object.entries(headers as Record<string, string | readonly string[] | undefined>)
  const value = fields.find(([field]) => field.toLowerCase() === name)?.[1]
  return typeof value === 'object' ? value.join(' ') : value
}
