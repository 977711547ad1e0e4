import { Flow } from '../../../storage/mod.ts'
import type { Change } from '../turn/feature.ts'
import { auditedFlow, flowReads } from './reads.ts'

export type RemoveFlow = { type: 'remove_flow'; id: string }

/** A Flow was deleted at the provider. */
export const removeFlow: Change<RemoveFlow> = {
  audit: auditedFlow,
  reads(reads, { id }) {
    reads.of(flowReads).add(id)
  },
  apply(turn, { id }) {
    const flows = turn.records.of(flowReads)
    const flow = flows.get(id)
    if (!flow) return undefined
    turn.remove(Flow, { id })
    flows.delete(id)
    flows.delete(flow.provider_flow_id)
    return undefined
  },
}
