import { isSameAccount } from '../channels/account.ts'
import type { InboundItem } from '../turn/feature.ts'
import { applyFlowChange } from './change_flow.ts'
import { flowReads } from './reads.ts'

/**
 * From the provider's webhook: a Flow changed. Applies to all Flows of the account, whichever of its numbers they were
 * registered with.
 */
export const flowReported: InboundItem<'flow'> = {
  reads(reads, { item }) {
    reads.of(flowReads).add(item.provider_flow_id)
  },
  receive(turn, { channel, item }) {
    const flow = turn.records.of(flowReads).get(item.provider_flow_id)
    const owner = flow && turn.state.channels.get(flow.channel_id)
    if (!flow || !owner || item.status === null || !isSameAccount(channel, owner)) return
    applyFlowChange(turn, { id: flow.id, status: item.status })
  },
}
