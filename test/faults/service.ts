/** Small changes for some tenants, requested without a pause, which measure how long each tenant is without service. */
import { sleep } from '../e2e/client.ts'
import type { Fleet, Place } from './fleet.ts'

export type Service = {
  /**
   * Stops the requests. Resolves to the longest time in which a tenant had no answered change, in milliseconds, and its
   * partition.
   */
  worst(): Promise<{ gap_ms: number; partition: number }>
}

const PAUSE_MS = 200
/** Milliseconds to wait for an answer of one node before asking the next. */
const PATIENCE_MS = 1500

/** Asks all nodes in turn, like clients that know them all. */
export function watchService({ nodes }: Pick<Fleet, 'nodes'>, places: readonly Place[]): Service {
  let going = true

  async function gapOf({ tenant, subscription_id, partition }: Place) {
    let gap_ms = 0
    const headers = { authorization: `Bearer ${tenant.token}`, 'content-type': 'application/json' }
    for (let n = 0, answered_at = Date.now(); going; n++) {
      const url = `${nodes[n % nodes.length]!.base_url}/v1/webhooks/${subscription_id}`
      const signal = AbortSignal.timeout(PATIENCE_MS)
      const body = JSON.stringify({ name: `Watched ${n}` })
      const answer = await fetch(url, { method: 'PATCH', headers, body, signal }).catch(() => undefined)
      await answer?.arrayBuffer().catch(() => undefined)
      const now = Date.now()
      gap_ms = Math.max(gap_ms, now - answered_at)
      if (answer?.status === 200) answered_at = now
      await sleep(PAUSE_MS)
    }
    return { gap_ms, partition }
  }

  const asking = Promise.all(places.map(gapOf))
  return {
    async worst() {
      going = false
      const all = await asking
      return all.reduce((worst, one) => (one.gap_ms > worst.gap_ms ? one : worst))
    },
  }
}
