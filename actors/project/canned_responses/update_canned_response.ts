import { CannedResponse } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Command } from '../turn/feature.ts'
import { tellOwned } from '../turn/owned_record.ts'
import { mustFit } from './bounds.ts'
import type { CreateCannedResponse } from './create_canned_response.ts'
import {
  auditedCannedResponse,
  cannedResponseOf,
  cannedResponseReads,
  cannedResponseRecord,
  toldCannedResponse,
  wantCannedResponses,
} from './reads.ts'

export type UpdateCannedResponse = {
  type: 'update_canned_response'
  id: string
  /** The agent; null for an operator, who sees shared ones. */
  user_id: string | null
  patch: Partial<CreateCannedResponse['fields']>
}

/**
 * Changes the given fields. One that ceases to be shared belongs to the agent from then on.
 * @throws {Refusal} NOT_FOUND, SHORTCUT_ALREADY_EXISTS, CANNED_RESPONSE_LIMIT_REACHED
 */
export const updateCannedResponse: Command<UpdateCannedResponse> = {
  audit: auditedCannedResponse,
  reads: (reads, { id, user_id }) => wantCannedResponses(reads, user_id, id),
  run(turn, { id, user_id, patch: { is_shared, ...fields } }) {
    const row = cannedResponseOf(turn, id, user_id)
    if (!row) throw refuse('NOT_FOUND')
    const before = { ...row }
    const owner_id = is_shared === undefined ? (row.owner_id ?? null) : is_shared ? null : user_id
    const changed = { ...fields, owner_id, updated_at: turn.now }
    mustFit(turn, { ...row, ...changed })
    Object.assign(row, changed)
    turn.update(CannedResponse, { _id: id }, changed)
    turn.records.of(cannedResponseReads).shortcuts.set(id, row)
    tellOwned(turn, toldCannedResponse(turn), before, row)
    return { body: cannedResponseRecord(turn, row) }
  },
}
