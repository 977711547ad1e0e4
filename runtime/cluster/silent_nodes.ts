/**
 * Detects nodes that do not renew their leases. Stamps only grow. A row is dead when its stamp is lower than one that
 * this node had at least `DEAD_MS` ago, and all looks since were answered without a gap: the row was not renewed in all
 * that time. Only this node's monotonic clock counts. A gap begins the series anew: while PostgreSQL is silent for all
 * nodes, none dies. A database that went back begins it anew, too: it may have lost renewals that were answered, and
 * their nodes go on trusting them.
 */

import type { Renewal } from '../commit/store.ts'
import { LEASE_MS } from './lease.ts'

/** Longer than a lease is valid, so that clocks may run at rates that differ by a tenth. */
const DEAD_MS = LEASE_MS * 1.125
/** Longer than the pause between two looks of a healthy node; in a longer gap other nodes could not renew either. */
const GAP_MS = 1000

export class SilentNodes {
  /** This node's own stamps of the series, oldest first, with the time at which each renewal was answered. */
  #looks: { stamp: number; answered: number }[] = []
  #sent = Number.NEGATIVE_INFINITY

  /** Records a look; `sent` and `answered` are times of the monotonic clock. */
  look({ stamp }: Renewal, sent: number, answered: number): void {
    const last = this.#looks.at(-1)
    if (last && (answered - last.answered > GAP_MS || stamp! <= last.stamp)) this.forget()
    // One look beyond the longest age asked for is enough: the series is some ten looks long.
    while (this.#looks.length > 1 && sent - this.#looks[1]!.answered >= 2 * DEAD_MS) this.#looks.shift()
    this.#looks.push({ stamp: stamp!, answered })
    this.#sent = sent
  }

  /** Begins the series anew. */
  forget(): void {
    this.#looks = []
  }

  /** The rows that were not renewed for `DEAD_MS` plus `more_ms`. They must be read with the last look or later. */
  dead<Row extends { stamp: number }>(rows: readonly Row[], more_ms = 0): Row[] {
    const ripe = this.#looks.findLast(({ answered }) => this.#sent - answered >= DEAD_MS + more_ms)
    return ripe ? rows.filter(({ stamp }) => stamp < ripe.stamp) : []
  }
}
