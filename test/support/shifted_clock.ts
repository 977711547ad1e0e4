import { startUp } from '../run/start_up.ts'

const PRELOAD = new URL('./shifted_clock.mjs', import.meta.url).href

/**
 * Returns the environment of a process whose wall clock is `ahead_ms` ahead of the true time, and `then_ms` after a
 * SIGUSR2.
 */
export function shiftedClock(ahead_ms: number, then_ms = 0): Record<string, string> {
  return {
    ...startUp(),
    NODE_OPTIONS: `${startUp().NODE_OPTIONS ?? ''} --import=${PRELOAD}`.trim(),
    SHIFTED_CLOCK_MS: String(ahead_ms),
    SHIFTED_CLOCK_THEN_MS: String(then_ms),
  }
}
