import { createHash, timingSafeEqual } from 'node:crypto'

/** Whether a header is the secret that was agreed on. Takes the same time whatever differs; no secret is never right. */
export function isSecret(header: string | null, secret: string | undefined): boolean {
  if (header === null || !secret) return false
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(header), digest(secret))
}
