import { setTimeout as sleep } from 'node:timers/promises'
import { type Api, ApiRefusal, Unreachable } from './api.ts'

const SHORTEST_MS = 100
const LONGEST_MS = 60_000
/** How long a server may be away, which it is while it restarts. */
const AWAY_MS = 60_000
/** With so many requests left, one a second does not matter; with a tenth of them, one in ten seconds. */
const PLENTY = 10_000

/**
 * Looks again and again, ever more seldom, until `look` finds something. Looks count against the rate limit of the
 * project, so that the fewer requests it has left, the more seldom it is.
 * @throws what `look` throws; that the server is away or refuses for now only after a minute of it
 */
export async function poll<Found>(api: Api, look: () => Promise<Found | undefined>): Promise<Found> {
  const started_at = performance.now()
  for (let answered_at = started_at; ; ) {
    try {
      const found = await look()
      if (found !== undefined) return found
      answered_at = performance.now()
    } catch (error) {
      if (!isPassing(error) || performance.now() - answered_at > AWAY_MS) throw error
    }
    await sleep(pauseAfter(performance.now() - started_at, api.remaining))
  }
}

/** Milliseconds: a third of the time that has passed, within what the rate limit leaves. */
export function pauseAfter(elapsed_ms: number, remaining: number): number {
  const longest_ms = Math.min(LONGEST_MS, Math.max(1_000, (1_000 * PLENTY) / Math.max(remaining, 1)))
  return Math.min(longest_ms, Math.max(SHORTEST_MS, elapsed_ms / 3))
}

function isPassing(error: unknown): boolean {
  if (error instanceof ApiRefusal) return error.status === 429 || error.status >= 500
  return error instanceof Unreachable
}
