/** `POST /v1/knowledge/nodes/import-url`: the document is fetched and converted after the answer. */
import { auditedNode } from '../knowledge/place.ts'
import type { Command } from '../turn/feature.ts'
import { beginImport, type ImportFields, wantImport } from './begin_import.ts'

export type ImportUrl = { type: 'import_knowledge_url'; source_url: string } & ImportFields

/** @throws {Refusal} codes of `beginImport` */
export const importUrl = {
  audit: auditedNode,
  reads(reads, { source_url, ...fields }) {
    wantImport(reads, { origin: 'url', source: source_url }, fields)
  },
  run(turn, { source_url, parent_id, name, language }, { knowledge_changed }) {
    const body = beginImport(turn, { origin: 'url', source: source_url }, { parent_id, name, language })
    turn.after(knowledge_changed)
    return { body }
  },
} satisfies Command<ImportUrl>
