/**
 * Signatures of calls to our own hooks, in the format of our outbound webhooks: `t=<Unix seconds>,v1=<hex
 * HMAC-SHA256(secret, "<t>.<body>")>`.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** Lower case, as in header look-ups. */
export const SIGNED_CALL_HEADER = 'x-parley-signature'

/**
 * Maximum seconds between `t` and our clock, either way. Callers sign every attempt anew, so this covers clock
 * differences and transit, not the hours for which a mail system tries again. A replay within this time changes
 * nothing: it brings the same ids.
 */
const TOLERANCE_S = 300

export function signCall(secret: string, raw: string, now: Date): string {
  const t = Math.floor(now.getTime() / 1000)
  return `t=${t},v1=${digest(secret, t, raw).toString('hex')}`
}

/** Takes the same time for every wrong but well-formed signature. */
export function verifyCall(secret: string, raw: string, header: string | null, now: Date): boolean {
  const [, t, v1] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/i.exec(header ?? '') ?? []
  if (t === undefined || v1 === undefined || secret === '') return false
  const is_same = timingSafeEqual(Buffer.from(v1, 'hex'), digest(secret, Number(t), raw))
  return is_same && Math.abs(now.getTime() / 1000 - Number(t)) <= TOLERANCE_S
}

function digest(secret: string, t: number, raw: string): Buffer {
  return createHmac('sha256', secret).update(`${t}.`).update(raw).digest()
}
