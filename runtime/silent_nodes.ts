/**
 * Which nodes do not renew their leases. A node is dead once its stamp was the same in an unbroken series of looks over
 * `DEAD_MS`. Only this node's monotonic clock counts, and a gap in the series begins it anew: while PostgreSQL is silent for
 * everybody, nobody dies.
 */
import { LEASE_MS } from './lease.ts'
import type { Renewal } from './store.ts'

/** Longer than a lease is valid, so that clocks may run at rates that differ by a tenth. */
const DEAD_MS = LEASE_MS * 1.125
/** Longer than between two looks of a node that is well; others could not renew either in a longer gap. */
const GAP_MS = 1000

export class SilentNodes {
  #seen = new Map<string, { stamp: number; since: number }>()
  #looked_at = Number.NEGATIVE_INFINITY

  /** Takes a look, sent and answered then by the monotonic clock; returns the nodes found dead, `except` not among them. */
  look({ oldest }: Renewal, sent: number, answered: number, except: string): { id: string; stamp: number }[] {
    if (answered - this.#looked_at > GAP_MS) this.#seen.clear()
    this.#looked_at = answered
    const dead: { id: string; stamp: number }[] = []
    const seen = new Map<string, { stamp: number; since: number }>()
    for (const { id, stamp } of oldest) {
      if (id === except) continue
      const before = this.#seen.get(id)
      const known = before?.stamp === stamp ? before : { stamp, since: answered }
      seen.set(id, known)
      if (sent - known.since >= DEAD_MS) dead.push({ id, stamp })
    }
    this.#seen = seen
    return dead
  }
}
