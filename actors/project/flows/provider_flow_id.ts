import { refuse } from '../../refuse.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { flowReads } from './reads.ts'

const OURS = /^[0-9a-f]{24}$/

/** The provider's id for an id of either kind. A provider's id of an unregistered Flow is returned unchanged. */
export function providerFlowId(turn: ProjectTurn, flow_id: string): string {
  if (!OURS.test(flow_id)) return flow_id
  const flow = turn.records.of(flowReads).get(flow_id)
  if (!flow) throw refuse('FLOW_NOT_REGISTERED', { flow_id })
  return flow.provider_flow_id
}
