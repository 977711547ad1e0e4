/** As uploads. */
const KEPT_MS = 30 * 86_400_000

/** The time until which a file that a message has is kept. */
export function keptUntil(now: Date): Date {
  return new Date(now.getTime() + KEPT_MS)
}
