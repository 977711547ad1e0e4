/** From the work of this actor: an attempt at an import has ended. */
import { KnowledgeImport, type KnowledgeNode } from '../../../storage/mod.ts'
import { type ImportOutcome, importError } from '../../knowledge/import/mod.ts'
import { wantNode } from '../knowledge/reads.ts'
import type { Receiver } from '../turn/feature.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { changeDocument, changeImport, documentOf, endImport, failImport, keepFile, textHashOf } from './document.ts'
import { importReads } from './reads.ts'
import { MAX_ATTEMPTS } from './run_imports.ts'
import { runningImports } from './running.ts'

export type ImportEnded = { node_id: string; import_id: string; attempt: number; outcome: ImportOutcome }

/** The pause after the first attempt in milliseconds; it doubles with each further one. */
const PAUSE_MS = 4_000

export const importEnded: Receiver<ImportEnded> = {
  reads(reads, { node_id }) {
    wantNode(reads, node_id)
    reads.of(importReads).node_ids.add(node_id)
  },
  receive(turn, { node_id, import_id, attempt, outcome }, { knowledge_changed }) {
    runningImports.of(turn.state).delete(node_id)
    turn.soon(0, { type: 'run_imports' })
    const row = turn.records.of(importReads).by_node.get(node_id)
    // Another import into the document has begun meanwhile.
    if (!row || row.import_id !== import_id || row.attempts !== attempt || row.status !== 'running') return
    end(turn, row, outcome)
    turn.after(knowledge_changed)
  },
}

function end(turn: ProjectTurn, row: KnowledgeImport, outcome: ImportOutcome): void {
  const node = documentOf(turn, row.node_id)
  if (!node) {
    turn.remove(KnowledgeImport, { node_id: row.node_id })
    keepFile(turn, row.media_id, 0)
  } else if (outcome.kind === 'converted' && textHashOf(node) !== (row.replaces ?? null)) {
    // The text of a later request stays.
    endImport(turn, row, importError('overtaken'))
  } else if (outcome.kind === 'converted' || outcome.kind === 'unchanged') finish(turn, row, node, outcome)
  else if (outcome.kind === 'failed' || row.attempts >= MAX_ATTEMPTS) failImport(turn, row, node, outcome.error)
  else {
    const due_at = new Date(turn.now.getTime() + PAUSE_MS * 2 ** (row.attempts - 1))
    const { code, message } = outcome.error
    changeImport(turn, row, { status: 'waiting', due_at, error_code: code, error_message: message })
  }
}

type Finished = Extract<ImportOutcome, { kind: 'converted' | 'unchanged' }>

/** Hands the document to the index, which sets its status. */
function finish(turn: ProjectTurn, row: KnowledgeImport, node: KnowledgeNode, outcome: Finished): void {
  keepFile(turn, row.media_id, 0)
  const done = { status: 'done', media_id: null, error_code: null, error_message: null } as const
  const indexed = { index_status: 'pending', index_error: null, revision: node.revision + 1 } as const
  if (outcome.kind === 'unchanged') {
    changeImport(turn, row, done)
    changeDocument(turn, node, indexed)
    return
  }
  const { type, title, content, warnings, file_size, sha256 } = outcome
  const takes_title = title !== null && row.named !== null && node.name === row.named
  changeImport(turn, row, {
    ...done,
    mime_type: type,
    warnings,
    ...(sha256 !== null && { sha256, file_size }),
    ...(takes_title && { named: title }),
  })
  changeDocument(turn, node, { ...indexed, content, ...(takes_title && { name: title }) })
}
