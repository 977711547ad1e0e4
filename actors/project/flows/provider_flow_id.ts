import { refuse } from '../../refuse.ts'
import { sharesFlows } from '../channels/account.ts'
import type { ProjectChannel } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { flowReads } from './reads.ts'

const OURS = /^[0-9a-f]{24}$/

/**
 * The provider's id for an id of either kind. A provider's id of an unregistered Flow is returned unchanged.
 * @throws {Refusal} FLOW_NOT_REGISTERED for an unknown id of ours, and for a Flow that the channel's account does not own
 */
export function providerFlowId(turn: ProjectTurn, channel: ProjectChannel, flow_id: string): string {
  const flow = turn.records.of(flowReads).get(flow_id)
  if (!flow) {
    if (OURS.test(flow_id)) throw refuse('FLOW_NOT_REGISTERED', { flow_id })
    return flow_id
  }
  // A deleted channel says no more to which account its Flows belong.
  const owner = turn.state.channels.get(flow.channel_id)
  if (owner && !sharesFlows(channel, owner)) {
    const message = 'The Flow belongs to another WhatsApp Business Account than the channel; use a Flow of its account.'
    throw refuse('FLOW_NOT_REGISTERED', { flow_id }, message)
  }
  return flow.provider_flow_id
}
