/** The Flow that a message opens: its reads, its id at the provider, and warnings by our copy of its status. */

import { Flow, type FlowStatus, readRows } from '../../../storage/mod.ts'
import { toFlowRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import { sharesFlows } from '../channels/account.ts'
import type { Warning } from '../templates/template_warnings.ts'
import type { Audited } from '../turn/audit.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectChannel } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** Flows by ids of either kind: ours and the provider's. */
export const flowReads: ReadKind<Set<string>, Map<string, Flow>> = {
  keys: () => new Set(),
  found: () => new Map(),
  async read(flows, keys, { database, state: { project_id } }) {
    const ids = [...keys]
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

const REFUSES: Record<Exclude<FlowStatus, 'published'>, string> = {
  draft: 'The provider refuses messages of it until it is published',
  throttled: 'Its endpoint does not work well, so the provider limits how often it is opened',
  blocked: 'Its endpoint does not work, and the provider refuses messages of it until it does',
  deprecated: 'The provider refuses messages of it for good',
}

/** Empty for other messages, and for a Flow that is published or not registered here. */
export function flowWarnings(turn: ProjectTurn, message: { type: string; flow_id?: string }): Warning[] {
  if (message.type !== 'flow') return []
  const flow = turn.records.of(flowReads).get(message.flow_id ?? '')
  if (!flow || flow.status === 'published') return []
  const { name, status } = flow
  return [{ code: 'FLOW_NOT_PUBLISHED', message: `The Flow ${name} has the status ${status}. ${REFUSES[status]}.` }]
}
