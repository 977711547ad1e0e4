import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Verifies that `X-Hub-Signature-256` signs exactly these bytes with this app secret. The bytes as received: Meta
 * escapes characters that JSON.stringify does not. Takes the same time for every wrong but well-formed signature.
 */
export function verifySignature(
  raw: Uint8Array | string,
  header: string | null | undefined,
  app_secret: string,
): boolean {
  const hex = /^sha256=([0-9a-f]{64})$/i.exec(header ?? '')?.[1]
  if (hex === undefined || app_secret === '') return false
  return timingSafeEqual(Buffer.from(hex, 'hex'), createHmac('sha256', app_secret).update(raw).digest())
}

/** The answer (200, plain) when Meta verifies the webhook, or undefined for any other caller (403). */
export function challengeAnswer(query: URLSearchParams, verify_token: string): string | undefined {
  const challenge = query.get('hub.challenge')
  if (query.get('hub.mode') !== 'subscribe' || challenge === null || verify_token === '') return undefined
  return isSame(query.get('hub.verify_token') ?? '', verify_token) ? challenge : undefined
}

function isSame(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(left), digest(right))
}
