/** The receivers of the benchmark `isolation`, and their keys. */

export const RECEIVERS = 1000

/** The last keys are those of the receivers that may hang. */
export const HANGING = 100
export const HEALTHY = RECEIVERS - HANGING

/** Milliseconds of an attempt's deadline, as in the product. */
export const DEADLINE_MS = 15_000

/**
 * Two worlds on one node. Keys below `RECEIVERS` are receivers with an address each; the next ones share one address,
 * like customers of one automation service. The key after them has the backlog.
 */
export const ONE_ORIGIN = 'one origin'
export const BACKLOGGED = 2 * RECEIVERS

/** Returns the address of receiver number `key`. Linux answers on all of 127.0.0.0/8. */
export function urlOf(key: number, port: number): string {
  const own = key < RECEIVERS ? `127.1.${Math.floor(key / 250)}.${(key % 250) + 1}` : '127.0.0.1'
  return `http://${own}:${port}/hook/${key}`
}

/** Returns true for a receiver that hangs when some do. */
export function mayHang(key: number): boolean {
  return key < BACKLOGGED && key % RECEIVERS >= HEALTHY
}
