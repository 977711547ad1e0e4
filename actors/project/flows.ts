/** Flows, as the provider told us of them: this actor alone writes their rows, so that events commit with the change. */
import { Flow, toFlowRecord } from '../../storage/mod.ts'
import { nextFlowStatus } from '../machines/mod.ts'
import { refuse } from '../refuse.ts'
import { emit, type ProjectTurn } from './events.ts'
import { isSameAccount, type Said } from './inbound_call.ts'

type Errors = Flow['validation_errors']

/** What came of an operation on a Flow at the provider. Applying one again changes nothing. */
export type FlowChange =
  | ({ type: 'register_flow' } & Pick<
      Flow,
      'id' | 'channel_id' | 'provider_flow_id' | 'name' | 'categories' | 'validation_errors'
    >)
  /** `status` in the provider's word. */
  | { type: 'change_flow'; id: string; status?: string | undefined; validation_errors?: Errors | undefined }
  | { type: 'remove_flow'; id: string }

/** A new draft. One that is there already, by the provider's id, is that one. */
export function registerFlow(
  turn: ProjectTurn,
  { type: _, ...fields }: FlowChange & { type: 'register_flow' },
): object {
  const { flows } = turn.records
  const known = flows.get(fields.provider_flow_id)
  if (known) return toFlowRecord(known)
  const { company_id, project_id } = turn.state
  const status = 'draft' as const
  const flow: Flow = { ...fields, company_id, project_id, status, created_at: turn.now, updated_at: turn.now }
  turn.insert(Flow, flow)
  keepFlow(flows, flow)
  return toFlowRecord(flow)
}

/** Undefined when it is gone. */
export function changeFlow(turn: ProjectTurn, change: FlowChange & { type: 'change_flow' }): object | undefined {
  const flow = turn.records.flows.get(change.id)
  if (!flow) return undefined
  const status = change.status === undefined ? flow.status : nextFlowStatus(flow.status, change.status)
  const moved = status !== flow.status
  const { validation_errors = flow.validation_errors } = change
  if (!moved && JSON.stringify(validation_errors) === JSON.stringify(flow.validation_errors)) return toFlowRecord(flow)
  const patch = { status, validation_errors, updated_at: turn.now }
  Object.assign(flow, patch)
  turn.update(Flow, { id: flow.id }, patch)
  const record = toFlowRecord(flow)
  if (moved) emit(turn, 'whatsapp.flow.updated', record, null)
  return record
}

export function removeFlow(turn: ProjectTurn, { id }: FlowChange & { type: 'remove_flow' }): undefined {
  const flow = turn.records.flows.get(id)
  if (!flow) return
  turn.remove(Flow, { id })
  turn.records.flows.delete(id)
  turn.records.flows.delete(flow.provider_flow_id)
}

const OURS = /^[0-9a-f]{24}$/

/** The provider's id for an id of either kind; a provider's id of a Flow that was not registered here passes. */
export function providerFlowId(turn: ProjectTurn, flow_id: string): string {
  if (!OURS.test(flow_id)) return flow_id
  const flow = turn.records.flows.get(flow_id)
  if (!flow) throw refuse('FLOW_NOT_REGISTERED', { flow_id })
  return flow.provider_flow_id
}

/** The provider's webhook. It speaks for the Flows of its account, whichever of its numbers they were registered with. */
export function flowReported(turn: ProjectTurn, { channel, item }: Said<'flow'>): void {
  const flow = turn.records.flows.get(item.provider_flow_id)
  const owner = flow && turn.state.channels.get(flow.channel_id)
  if (!flow || !owner || item.status === null || !isSameAccount(channel, owner)) return
  changeFlow(turn, { type: 'change_flow', id: flow.id, status: item.status })
}

export function keepFlow(flows: Map<string, Flow>, row: Flow): void {
  const known = flows.get(row.id) ?? row
  flows.set(row.id, known)
  flows.set(known.provider_flow_id, known)
}
