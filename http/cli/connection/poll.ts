import { setTimeout as sleep } from 'node:timers/promises'
import { type Api, ApiRefusal, Unreachable } from './api.ts'

const MIN_MS = 100
const MAX_MS = 60_000
/** Maximum time that a server may be away, as during a restart. */
const AWAY_MS = 60_000
/** With this many requests left it polls once a second; with a tenth of them, every ten seconds. */
const PLENTY = 10_000

/**
 * Polls, at growing intervals, until `look` finds something. Polls count against the rate limit of the project, so the
 * intervals also grow as its remaining requests fall.
 * @throws the errors of `look`; an unavailable or temporarily refusing server only after a minute of it
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

/** Milliseconds: a third of the elapsed time, within the rate limit's remainder. */
export function pauseAfter(elapsed_ms: number, remaining: number): number {
  const max_ms = Math.min(MAX_MS, Math.max(1_000, (1_000 * PLENTY) / Math.max(remaining, 1)))
  return Math.min(max_ms, Math.max(MIN_MS, elapsed_ms / 3))
}

function isPassing(error: unknown): boolean {
  if (error instanceof ApiRefusal) return error.status === 429 || error.status >= 500
  return error instanceof Unreachable
}
