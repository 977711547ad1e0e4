/**
 * Which nodes do not renew their leases. Stamps only grow. If a row's stamp is lower than one this node had `DEAD_MS` ago or
 * earlier, and the looks since were answered without a gap, that row was not renewed in all that time: the node is dead. Only
 * this node's monotonic clock counts. A gap begins the series anew: while PostgreSQL is silent for everybody, nobody dies. So does
 * a database that went back: it may have lost renewals that were answered, and those who sent them go on trusting in them.
 */
import { LEASE_MS } from './lease.ts'
import type { Renewal } from './store.ts'

/** Longer than a lease is valid, so that clocks may run at rates that differ by a tenth. */
const DEAD_MS = LEASE_MS * 1.125
/** Longer than between two looks of a node that is well; others could not renew either in a longer gap. */
const GAP_MS = 1000

export class SilentNodes {
  /** This node's own stamps of the series, the oldest first, and when each renewal was answered. */
  #looks: { stamp: number; answered: number }[] = []
  #sent = Number.NEGATIVE_INFINITY

  /** Takes a look, sent and answered then by the monotonic clock. */
  look({ stamp }: Renewal, sent: number, answered: number): void {
    const last = this.#looks.at(-1)
    if (last && (answered - last.answered > GAP_MS || stamp! <= last.stamp)) this.forget()
    // One look beyond what can be asked for is enough: the series is some ten looks long.
    while (this.#looks.length > 1 && sent - this.#looks[1]!.answered >= 2 * DEAD_MS) this.#looks.shift()
    this.#looks.push({ stamp: stamp!, answered })
    this.#sent = sent
  }

  /** Begins the series anew. */
  forget(): void {
    this.#looks = []
  }

  /** Those of the rows, read with the last look or later, that were not renewed for `DEAD_MS` and `more_ms`. */
  dead<Row extends { stamp: number }>(rows: readonly Row[], more_ms = 0): Row[] {
    const ripe = this.#looks.findLast(({ answered }) => this.#sent - answered >= DEAD_MS + more_ms)
    return ripe ? rows.filter(({ stamp }) => stamp < ripe.stamp) : []
  }
}
