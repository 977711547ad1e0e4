/** Who receives what in the benchmark `isolation`. */

export const RECEIVERS = 1000

/** The last ones are those that may hang. */
export const HANGING = 100
export const HEALTHY = RECEIVERS - HANGING

/** Of an attempt, as the product has it. */
export const DEADLINE_MS = 15_000

/**
 * Two worlds on one node: keys below `RECEIVERS` are receivers with an address each, the next ones share one, as
 * customers of one automation service do. The key after them has the backlog.
 */
export const ONE_ORIGIN = 'one origin'
export const BACKLOGGED = 2 * RECEIVERS

/** Where receiver number `key` listens. Linux answers on all of 127.0.0.0/8. */
export function urlOf(key: number, port: number): string {
  const own = key < RECEIVERS ? `127.1.${Math.floor(key / 250)}.${(key % 250) + 1}` : '127.0.0.1'
  return `http://${own}:${port}/hook/${key}`
}

/** Whether this receiver hangs when some do. */
export function mayHang(key: number): boolean {
  return key < BACKLOGGED && key % RECEIVERS >= HEALTHY
}
