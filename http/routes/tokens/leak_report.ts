/** Reports of GitHub's secret scanning: their signature, their matches, and the answer. */
import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import * as v from 'valibot'
import { Refusal } from '../../../runtime/mod.ts'
import { invalid, type Violation } from '../../server/errors/api_error.ts'
import { check } from '../../server/parse/validation.ts'

/** Public keys by their identifiers. */
export type ReportKeys = ReadonlyMap<string, KeyObject>

export type Match = v.InferOutput<typeof match>

/** The label of a match; `token_hash` is the SHA-256 of the token, hex. */
export type Label = { token_hash: string; token_type: string; label: 'true_positive' | 'false_positive' }

/** Headers in lower case, as requests have them. */
const KEY_HEADER = 'github-public-key-identifier'
const SIGNATURE_HEADER = 'github-public-key-signature'

/** A signature of P-256 in DER is 8 to 72 bytes long. */
const SIGNATURE = /^[A-Za-z0-9+/]{11,96}={0,2}$/

const MAX_MATCHES = 5000

const match = v.looseObject({
  token: v.string(),
  type: v.nullish(v.string(), ''),
  url: v.nullish(v.string(), ''),
  source: v.nullish(v.string(), 'unknown'),
})
const report = v.pipe(v.array(match), v.maxLength(MAX_MATCHES, `must have at most ${MAX_MATCHES} matches`))

/** `keys`: PEM by identifier. */
export function reportKeys(keys: Readonly<Record<string, string>>): ReportKeys {
  return new Map(Object.entries(keys).map(([identifier, pem]) => [identifier, createPublicKey(pem)]))
}

/** True when the headers name a known key and have the form of a signature. */
export function isPlausible(keys: ReportKeys, headers: Record<string, string>): boolean {
  return keys.has(headers[KEY_HEADER] ?? '') && SIGNATURE.test(headers[SIGNATURE_HEADER] ?? '')
}

/**
 * Checks ECDSA-NIST-P256V1-SHA256 over the raw body. Only public values are compared, so its time tells a caller
 * nothing that is secret.
 */
export function isGenuine(keys: ReportKeys, headers: Record<string, string>, body: Uint8Array): boolean {
  const key = keys.get(headers[KEY_HEADER]!)
  return key !== undefined && verify('sha256', body, key, Buffer.from(headers[SIGNATURE_HEADER]!, 'base64'))
}

/**
 * The matches in a genuine body. Its sender is trusted, so it is parsed without the limits for bodies of clients.
 * @throws {Refusal} VALIDATION_ERROR
 */
export function matchesIn(body: Uint8Array): Match[] {
  let value: unknown
  try {
    value = JSON.parse(
      Buffer.from(body.buffer, body.byteOffset, body.byteLength)
        .toString('utf8')
        .replace(/^\ufeff/, ''),
    )
  } catch {
    throw refused([{ path: '', message: 'must be valid JSON', code: 'malformed_json' }])
  }
  const checked = check(report, value)
  if ('violations' in checked) throw refused(checked.violations)
  return checked.value as Match[]
}

/** @throws {Refusal} VALIDATION_ERROR */
export function isDryRun(query: string): boolean {
  const dry_run = new URLSearchParams(query).get('dry_run') ?? 'false'
  if (dry_run === 'true' || dry_run === 'false') return dry_run === 'true'
  throw refused([{ path: 'dry_run', message: 'must be true or false', code: 'invalid_value' }])
}

function refused(violations: Violation[]): Refusal {
  const { code, ...rest } = invalid(violations)
  return new Refusal(code, rest as { message: string; details: Record<string, unknown> })
}
