import { type HistoryImport, objectId } from '../../../storage/mod.ts'
import { toHistoryImportRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Audited } from '../turn/audit.ts'
import type { Command } from '../turn/feature.ts'
import { changeImport, historyReads, presentImport, storeImport } from './reads.ts'

export type BeginHistoryImport = { type: 'begin_history_import'; channel_id: string; webhooks: boolean }

/** Milliseconds after which a request whose node died may be made again: longer than any call of the provider. */
const MAX_ASKING_MS = 120_000

const audited: Audited<BeginHistoryImport> = {
  target: 'history_import',
  record({ records }, id) {
    const row = records.of(historyReads).by_id.get(id)
    return row && toHistoryImportRecord(row)
  },
}

/**
 * Notes that the history of a channel is about to be asked for.
 *
 * @throws {Refusal} HISTORY_ALREADY_REQUESTED
 */
export const beginHistoryImport = {
  audit: audited,
  reads(reads, { channel_id }) {
    reads.of(historyReads).channel_ids.add(channel_id)
  },
  run(turn, { channel_id, webhooks }) {
    const present = presentImport(turn, channel_id)
    if (present && !mayRepeat(present, turn.now)) {
      const requested_at = (present.requested_at ?? present.created_at).toISOString()
      throw refuse('HISTORY_ALREADY_REQUESTED', { requested_at, status: present.status })
    }
    const asked = { status: 'asking', webhooks, requested_at: turn.now } as const
    const row = present ?? storeImport(turn, { _id: objectId(), channel_id, ...asked })
    if (present) changeImport(turn, row, { ...asked, error: null })
    return { body: toHistoryImportRecord(row) }
  },
} satisfies Command<BeginHistoryImport>

function mayRepeat({ status, updated_at }: HistoryImport, now: Date): boolean {
  return status === 'failed' || (status === 'asking' && now.getTime() - updated_at.getTime() > MAX_ASKING_MS)
}
