import { CannedResponse, objectId } from '../../../storage/mod.ts'
import type { Command } from '../turn/feature.ts'
import { tellOwned } from '../turn/owned_record.ts'
import { mustFit } from './bounds.ts'
import {
  auditedCannedResponse,
  cannedResponseReads,
  cannedResponseRecord,
  toldCannedResponse,
  wantCannedResponses,
} from './reads.ts'

export type CreateCannedResponse = {
  type: 'create_canned_response'
  /** The agent; null for an operator, who creates shared ones. */
  user_id: string | null
  fields: { shortcut: string; title: string | null; content: string; is_shared: boolean }
}

/** @throws {Refusal} SHORTCUT_ALREADY_EXISTS, CANNED_RESPONSE_LIMIT_REACHED */
export const createCannedResponse: Command<CreateCannedResponse> = {
  audit: auditedCannedResponse,
  reads: (reads, { user_id }) => wantCannedResponses(reads, user_id),
  run(turn, { user_id, fields: { is_shared, ...fields } }) {
    const { company_id, project_id } = turn.state
    const owner_id = is_shared ? null : user_id
    const times = { created_at: turn.now, updated_at: turn.now }
    const owned = { _id: objectId(), company_id, project_id, owner_id }
    const row: CannedResponse = { ...owned, ...fields, created_by: user_id, ...times }
    mustFit(turn, row)
    turn.insert(CannedResponse, row)
    const { by_id, shortcuts } = turn.records.of(cannedResponseReads)
    by_id.set(row._id, row)
    shortcuts.set(row._id, row)
    tellOwned(turn, toldCannedResponse(turn), undefined, row)
    return { body: cannedResponseRecord(turn, row) }
  },
}
