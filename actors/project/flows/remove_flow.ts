import { Flow } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Change } from '../turn/feature.ts'
import { auditedFlow, flowReads } from './reads.ts'

export type RemoveFlow = { type: 'remove_flow'; id: string }

/**
 * A Flow was deleted at the provider. Of requests that delete it at once, one finds it here.
 * @throws {Refusal} FLOW_NOT_FOUND
 */
export const removeFlow: Change<RemoveFlow> = {
  audit: auditedFlow,
  reads(reads, { id }) {
    reads.of(flowReads).add(id)
  },
  apply(turn, { id }) {
    const flows = turn.records.of(flowReads)
    const flow = flows.get(id)
    if (!flow) throw refuse('FLOW_NOT_FOUND')
    turn.remove(Flow, { id })
    flows.delete(id)
    flows.delete(flow.provider_flow_id)
    return undefined
  },
}
