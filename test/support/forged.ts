/**
 * Returns the secret with one character changed, never the secret itself. A fixed ending would sometimes be the
 * secret's own. The last characters of base64 hold bits that no reader looks at, so the fourth from the end changes.
 */
export function forged(secret: string): string {
  const other = secret.at(-4) === '0' ? '1' : '0'
  return secret.slice(0, -4) + other + secret.slice(-3)
}
