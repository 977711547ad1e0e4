import { toHistoryImportRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Command } from '../turn/feature.ts'
import { changeImport, historyReads } from './reads.ts'

type Failure = { code: string; message: string }

/** Failures of the two requests; null for one that the provider took. */
export type EndHistoryRequest = {
  type: 'end_history_request'
  import_id: string
  messages: Failure | null
  names: Failure | null
}

/** Stores the answer of the provider. Messages may have arrived before it. */
export const endHistoryRequest = {
  reads(reads, { import_id }) {
    reads.of(historyReads).ids.add(import_id)
  },
  run(turn, { import_id, messages, names }) {
    const row = turn.records.of(historyReads).by_id.get(import_id)
    if (!row) throw refuse('NOT_FOUND')
    if (row.status === 'asking') {
      changeImport(turn, row, { status: messages ? 'failed' : 'requested', error: messages ?? names })
    }
    return { body: toHistoryImportRecord(row) }
  },
} satisfies Command<EndHistoryRequest>
