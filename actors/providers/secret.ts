import { createHash, timingSafeEqual } from 'node:crypto'

/** True when a header equals the agreed secret. Takes the same time for every difference; a missing secret never matches. */
export function isSecret(header: string | null, secret: string | undefined): boolean {
  if (header === null || !secret) return false
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(header), digest(secret))
}
