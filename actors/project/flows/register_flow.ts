import { Flow, toFlowRecord } from '../../../storage/mod.ts'
import type { Change } from '../turn/feature.ts'
import { auditedFlow, flowReads, keepFlow } from './reads.ts'

export type RegisterFlow = { type: 'register_flow' } & Pick<
  Flow,
  'id' | 'channel_id' | 'provider_flow_id' | 'name' | 'categories' | 'validation_errors'
>

/** Registers a new draft. A Flow with the same provider's id stays as it is. */
export const registerFlow: Change<RegisterFlow> = {
  audit: { ...auditedFlow, id: ({ provider_flow_id }) => provider_flow_id },
  reads(reads, { provider_flow_id }) {
    reads.of(flowReads).add(provider_flow_id)
  },
  apply(turn, { type: _, ...fields }) {
    const flows = turn.records.of(flowReads)
    const known = flows.get(fields.provider_flow_id)
    if (known) return toFlowRecord(known)
    const { company_id, project_id } = turn.state
    const status = 'draft' as const
    const flow: Flow = { ...fields, company_id, project_id, status, created_at: turn.now, updated_at: turn.now }
    turn.insert(Flow, flow)
    keepFlow(flows, flow)
    return toFlowRecord(flow)
  },
}
