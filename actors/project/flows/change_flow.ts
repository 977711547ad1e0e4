import { Flow, toFlowRecord } from '../../../storage/mod.ts'
import { nextFlowStatus } from '../../machines/mod.ts'
import { emit } from '../turn/events.ts'
import type { Change } from '../turn/feature.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { auditedFlow, flowReads } from './reads.ts'

/** `status` as the provider names it. */
export type ChangeFlow = {
  type: 'change_flow'
  id: string
  status?: string | undefined
  validation_errors?: Flow['validation_errors'] | undefined
}

/** A Flow was changed at the provider. */
export const changeFlow: Change<ChangeFlow> = {
  audit: auditedFlow,
  reads(reads, { id }) {
    reads.of(flowReads).add(id)
  },
  apply: applyFlowChange,
}

/** Undefined when the Flow no longer exists. */
export function applyFlowChange(turn: ProjectTurn, change: Omit<ChangeFlow, 'type'>): object | undefined {
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
