import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Whether `X-Hub-Signature-256` is over exactly these bytes with this app secret. The bytes as they came: Meta escapes
 * what JSON.stringify does not. Takes the same time whatever is wrong with a well-formed signature.
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

/** What to answer (200, plain) when Meta tries the webhook, or undefined when somebody else does (403). */
export function challengeAnswer(query: URLSearchParams, verify_token: string): string | undefined {
  const challenge = query.get('hub.challenge')
  if (query.get('hub.mode') !== 'subscribe' || challenge === null || verify_token === '') return undefined
  return isSame(query.get('hub.verify_token') ?? '', verify_token) ? challenge : undefined
}

function isSame(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(left), digest(right))
}
