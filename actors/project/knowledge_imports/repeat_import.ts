/** `POST /v1/knowledge/nodes/{id}/import`: fetches the address again, or converts the file of a failed import again. */
import { objectId } from '../../../storage/mod.ts'
import { toKnowledgeNodeRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import { activeNode } from '../knowledge/place.ts'
import { wantNode } from '../knowledge/reads.ts'
import type { Command } from '../turn/feature.ts'
import { changeDocument, changeImport, isUnfinished, textHashOf } from './document.ts'
import { importReads } from './reads.ts'

export type RepeatImport = { type: 'repeat_knowledge_import'; id: string }

/** @throws {Refusal} NOT_FOUND, KNOWLEDGE_NOT_IMPORTED, KNOWLEDGE_FILE_GONE */
export const repeatImport = {
  audit: { target: 'knowledge_node' },
  reads(reads, { id }) {
    wantNode(reads, id)
    reads.of(importReads).node_ids.add(id)
  },
  run(turn, { id }) {
    const node = activeNode(turn, id)
    const row = turn.records.of(importReads).by_node.get(id)
    if (!row) throw refuse('KNOWLEDGE_NOT_IMPORTED')
    if (!isUnfinished(row) && row.origin === 'file' && !row.media_id) throw refuse('KNOWLEDGE_FILE_GONE')
    // One that waits for its next attempt is not made to wait any longer.
    if (row.status === 'running') return { body: toKnowledgeNodeRecord(node) }
    const fresh = {
      import_id: objectId(),
      replaces: textHashOf(node),
      attempts: 0,
      error_code: null,
      error_message: null,
    }
    changeImport(turn, row, { ...fresh, status: 'waiting', due_at: turn.now })
    changeDocument(turn, node, { index_status: 'pending', index_error: null })
    turn.awake(true)
    turn.soon(0, { type: 'run_imports' })
    return { body: toKnowledgeNodeRecord(node) }
  },
} satisfies Command<RepeatImport>
