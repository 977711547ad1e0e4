import { CannedResponse } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Command } from '../turn/feature.ts'
import { tellOwned } from '../turn/owned_record.ts'
import {
  auditedCannedResponse,
  cannedResponseOf,
  cannedResponseReads,
  toldCannedResponse,
  wantCannedResponses,
} from './reads.ts'

export type DeleteCannedResponse = {
  type: 'delete_canned_response'
  id: string
  /** The agent; null for an operator, who sees shared ones. */
  user_id: string | null
}

/** @throws {Refusal} NOT_FOUND */
export const deleteCannedResponse: Command<DeleteCannedResponse> = {
  audit: auditedCannedResponse,
  reads: (reads, { id, user_id }) => wantCannedResponses(reads, user_id, id),
  run(turn, { id, user_id }) {
    const row = cannedResponseOf(turn, id, user_id)
    if (!row) throw refuse('NOT_FOUND')
    turn.remove(CannedResponse, { _id: id })
    const { by_id, shortcuts } = turn.records.of(cannedResponseReads)
    by_id.delete(id)
    shortcuts.delete(id)
    tellOwned(turn, toldCannedResponse(turn), row, undefined)
    return {}
  },
}
