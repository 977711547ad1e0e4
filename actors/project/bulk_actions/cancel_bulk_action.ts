import { BulkAction } from '../../../storage/mod.ts'
import { toBulkActionRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import { wantDefinitions } from '../definitions/reads.ts'
import type { Command } from '../turn/feature.ts'
import { auditedBulkAction } from './begin_bulk_action.ts'
import { endBulkAction, showBulkAction } from './progress.ts'
import { bulkActionReads } from './reads.ts'

export type CancelBulkAction = { type: 'cancel_bulk_action'; id: string }

/**
 * Stops an action after its present slice; one that is over stays as it is. Returns the record.
 * @throws {Refusal} NOT_FOUND
 */
export const cancelBulkAction = {
  audit: auditedBulkAction,
  reads(reads, { id }) {
    wantDefinitions(reads)
    reads.of(bulkActionReads).ids.add(id)
  },
  run(turn, { id }) {
    const row = turn.records.of(bulkActionReads).by_id.get(id)
    if (!row) throw refuse('NOT_FOUND')
    if (row.status === 'running') {
      endBulkAction(turn, row, 'cancelled')
      const { status, completed_at, updated_at } = row
      turn.update(BulkAction, { id }, { status, completed_at, updated_at })
      showBulkAction(turn, row)
    }
    return { body: toBulkActionRecord(row) }
  },
} satisfies Command<CancelBulkAction>
