import { Flow, readRows, toFlowRecord } from '../../../storage/mod.ts'
import type { Audited } from '../turn/audit.ts'
import type { ReadKind } from '../turn/records.ts'

/** Flows by ids of either kind: ours and the provider's. */
export const flowReads: ReadKind<Set<string>, Map<string, Flow>> = {
  wanted: () => new Set(),
  found: () => new Map(),
  async read(flows, wanted, { database, state: { project_id } }) {
    const ids = [...wanted]
    const where = [
      { project_id, id: ids },
      { project_id, provider_flow_id: ids },
    ]
    for (const row of await readRows(database, Flow, ...where)) keepFlow(flows, row)
  },
}

/** The audit entry of a change of a Flow. */
export const auditedFlow: Audited<{ type: string }> = {
  target: 'flow',
  record(turn, id) {
    const flow = turn.records.of(flowReads).get(id)
    return flow && toFlowRecord(flow)
  },
}

/** Registers the Flow in the turn under both of its ids. The first row with an id stays. */
export function keepFlow(flows: Map<string, Flow>, row: Flow): void {
  const known = flows.get(row.id) ?? row
  flows.set(row.id, known)
  flows.set(known.provider_flow_id, known)
}
