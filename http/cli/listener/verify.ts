import { createHmac, timingSafeEqual } from 'node:crypto'

/** Seconds for which a signature is valid, as in common libraries. */
const TOLERANCE_S = 300

/** `ok`, or the error. */
export type Verdict = { svc: string; standard: string }

type Headers = Record<string, string | string[] | undefined>

/**
 * Checks both signatures of a delivery as a receiver should. Implemented from their description, not with the signing
 * code, so that a mistake there shows here.
 */
export function verify(secret: string, headers: Headers, raw: Buffer, now = new Date()): Verdict {
  const now_s = now.getTime() / 1000
  return { svc: verifySvc(secret, headers, raw, now_s), standard: verifyStandard(secret, headers, raw, now_s) }
}

export const isGood = ({ svc, standard }: Verdict): boolean => svc === 'ok' && standard === 'ok'

/** `X-Svc-Signature: t=<seconds>,v1=<hex>`, keyed with the secret as text; the header may have several signatures. */
function verifySvc(secret: string, headers: Headers, raw: Buffer, now_s: number): string {
  const [, time, hashes] = /^t=(\d+)((?:,v1=[0-9a-f]{64})+)$/.exec(one(headers['x-svc-signature'])) ?? []
  if (!time || !hashes) return 'X-Svc-Signature is missing or malformed'
  if (isStale(time, now_s)) return 'X-Svc-Signature is of another time'
  const right = createHmac('sha256', secret).update(`${time}.`).update(raw).digest()
  const signatures = hashes.split(',v1=').slice(1)
  const matches = signatures.some((hex) => timingSafeEqual(right, Buffer.from(hex, 'hex')))
  return matches ? 'ok' : 'X-Svc-Signature does not match'
}

/** standardwebhooks.com, keyed with the bytes inside the secret; the header may have several signatures. */
function verifyStandard(secret: string, headers: Headers, raw: Buffer, now_s: number): string {
  const [id, time, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    one(headers[name]),
  )
  if (!id || !time || !signatures) return 'a Standard Webhooks header is missing'
  if (isStale(time, now_s)) return 'webhook-timestamp is of another time'
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const right = createHmac('sha256', key).update(`${id}.${time}.`).update(raw).digest()
  const matches = signatures.split(' ').some((signature) => {
    const bytes = Buffer.from(signature.replace(/^v1,/, ''), 'base64')
    return signature.startsWith('v1,') && bytes.length === right.length && timingSafeEqual(bytes, right)
  })
  return matches ? 'ok' : 'webhook-signature does not match'
}

const isStale = (time: string, now_s: number) => !(Math.abs(now_s - Number(time)) <= TOLERANCE_S)
const one = (header: string | string[] | undefined) => (Array.isArray(header) ? header.join(',') : (header ?? ''))
