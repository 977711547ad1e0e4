/** The kinds of work that go on while a fault strikes. A new kind is a row of this table. */
import type { Database } from '../../storage/mod.ts'
import type { Outside } from '../e2e/fixture.ts'
import type { Circumstances, Finding } from '../e2e/history_checker.ts'
import { type LoadOptions, loadPaths, type Request, runLoad } from '../e2e/load.ts'
import { crmFindings, Heard, ticketFindings } from './crm_history_checker.ts'
import { runCrm } from './crm_work.ts'
import type { Place } from './fleet.ts'

/** One running workload of one tenant. */
export type Running = {
  requests: readonly Request[]
  /** Stops the work. Resolves when everything begun was acknowledged. */
  stop(): Promise<void>
  /** Waits until everything it led to has settled. Returns no finding when every promise was kept. */
  findings(circumstances: Circumstances): Promise<Finding[]>
  counts(): Counts
}

/** `changes` counts changes of the CRM by requests. */
export type Counts = { sends: number; inbound: number; changes: number; deliveries: number }

/** Starts work for a tenant. `world.database` is the checker's own connection. */
export type Workload = (world: Outside & { database: Database }, place: Place, name: string) => Running

const PAUSE_MS = 40

/** Makes API writes, provider webhooks and deliveries. `unwell` receivers refuse or cut some first attempts. */
function messages(options: LoadOptions, unwell: boolean): Workload {
  return ({ sink, database }, { tenant, history_checker }, name) => {
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
      findings: async (circumstances) => [
        ...(await history_checker.findings(load, circumstances)),
        ...(await ticketFindings(database, tenant.project_id)),
      ],
      counts() {
        const { deliveries } = history_checker
        return { sends: load.sends.length, inbound: load.inbound.length, changes: 0, deliveries }
      },
    }
  }
}

/** Makes requests that change tickets, and the webhooks about them. */
function tickets(closing: boolean): Workload {
  return ({ sink, database }, { tenant, history_checker, crm }, name) => {
    const heard = new Heard()
    sink.answer(crm.path, ({ body }) => {
      heard.take(body)
      return 200
    })
    const load = runCrm(tenant, crm, name, closing)
    const nothing = { sends: [], inbound: [], surprises: [], requests: [], stop: load.stop }
    return {
      requests: load.requests,
      stop: load.stop,
      findings: async (circumstances) => [
        // This call waits until all is delivered.
        ...(await history_checker.findings(nothing, circumstances)),
        ...(await crmFindings({
          database,
          project_id: tenant.project_id,
          name,
          load,
          heard,
          lost: circumstances.lost,
        })),
        ...(await ticketFindings(database, tenant.project_id)),
      ],
      counts() {
        const changes = load.recorded.length + load.closed.size + load.moved.length
        return { sends: 0, inbound: 0, changes, deliveries: history_checker.deliveries }
      },
    }
  }
}

export const workloads: Record<string, Workload> = {
  send: messages({ recipients: 3, writers: 0 }, false),
  inbound: messages({ recipients: 0, writers: 3 }, false),
  deliver: messages({ recipients: 1, writers: 1 }, true),
  ingest: tickets(true),
  move: tickets(false),
}
