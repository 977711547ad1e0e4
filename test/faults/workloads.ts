/** What goes on while a fault strikes. A new kind of work is a row of this table. */
import type { Outside } from '../parley/fixture.ts'
import { type LoadOptions, loadPaths, type Request, runLoad } from '../parley/load.ts'
import type { Finding } from '../parley/witness.ts'
import type { Place } from './fleet.ts'

/** One workload of one tenant, going on. */
export type Running = {
  requests: readonly Request[]
  /** Ends after everything begun was acknowledged. */
  stop(): Promise<void>
  /** Waits until all it led to has settled; empty when every promise was kept. */
  findings(): Promise<Finding[]>
  counts(): Counts
}

export type Counts = { sends: number; inbound: number; deliveries: number }

export type Workload = (world: Outside, place: Place, name: string) => Running

const PAUSE_MS = 40

/** API writes, provider webhooks and deliveries; `unwell` receivers refuse or cut some first attempts. */
function messages(options: LoadOptions, unwell: boolean): Workload {
  return ({ sink }, { tenant, witness }, name) => {
    for (const path of loadPaths(tenant)) {
      const seen = new Set<string>()
      sink.answer(path, ({ body }) => {
        if (!unwell || seen.has(body.id)) return 200
        seen.add(body.id)
        const digit = Number.parseInt(String(body.id).slice(-1), 16)
        return digit < 3 ? 500 : digit === 3 ? 'reset' : 200
      })
    }
    const load = runLoad(tenant, { ...options, name, pause_ms: PAUSE_MS })
    return {
      requests: load.requests,
      stop: load.stop,
      findings: () => witness.findings(load),
      counts: () => ({ sends: load.sends.length, inbound: load.inbound.length, deliveries: witness.deliveries }),
    }
  }
}

export const workloads: Record<string, Workload> = {
  send: messages({ recipients: 3, writers: 0 }, false),
  inbound: messages({ recipients: 0, writers: 3 }, false),
  deliver: messages({ recipients: 1, writers: 1 }, true),
}
