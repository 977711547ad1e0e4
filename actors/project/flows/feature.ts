/** Flows, as reported by the provider. Only this actor writes their rows, so that events commit with the change. */

import { Flow } from '../../../storage/mod.ts'
import { nextFlowStatus } from '../../machines/mod.ts'
import { toFlowRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import { isSameAccount } from '../channels/account.ts'
import { emit } from '../turn/events.ts'
import type { Change, Feature, InboundItem } from '../turn/feature.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { auditedFlow, flowReads, keepFlow } from './sent_flow.ts'

/** `status` as the provider names it. */
type ChangeFlow = {
  type: 'change_flow'
  id: string
  status?: string | undefined
  validation_errors?: Flow['validation_errors'] | undefined
}

/** A Flow was changed at the provider. */
const changeFlow: Change<ChangeFlow> = {
  audit: auditedFlow,
  reads(reads, { id }) {
    reads.of(flowReads).add(id)
  },
  apply: applyFlowChange,
}

/** Undefined when the Flow no longer exists. */
function applyFlowChange(turn: ProjectTurn, change: Omit<ChangeFlow, 'type'>): object | undefined {
  const flow = turn.records.of(flowReads).get(change.id)
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

/**
 * From the provider's webhook: a Flow changed. Applies to all Flows of the account, whichever of its numbers they were
 * registered with.
 */
const flowReported: InboundItem<'flow'> = {
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

type RegisterFlow = { type: 'register_flow' } & Pick<
  Flow,
  'id' | 'channel_id' | 'provider_flow_id' | 'name' | 'categories' | 'validation_errors'
>

/** Registers a new draft. A Flow with the same provider's id stays as it is. */
const registerFlow: Change<RegisterFlow> = {
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

type RemoveFlow = { type: 'remove_flow'; id: string }

/**
 * A Flow was deleted at the provider. Of requests that delete it at once, one finds it here.
 * @throws {Refusal} FLOW_NOT_FOUND
 */
const removeFlow: Change<RemoveFlow> = {
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

/** The effect of an operation at the provider on a Flow. */
export type FlowChange = RegisterFlow | ChangeFlow | RemoveFlow

export const flows = {
  changes: { register_flow: registerFlow, change_flow: changeFlow, remove_flow: removeFlow },
  inbound: { flow: flowReported },
} satisfies Feature
