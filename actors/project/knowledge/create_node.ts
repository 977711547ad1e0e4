/** `POST /v1/knowledge/nodes`. A document is searchable once it is indexed, shortly after the answer. */
import { toKnowledgeNodeRecord } from '../../records/mod.ts'
import type { Command } from '../turn/feature.ts'
import { addNode } from './add_node.ts'
import { auditedNode, mustTakeNew } from './place.ts'
import { wantParent } from './reads.ts'

export type CreateKnowledgeNode = {
  type: 'create_knowledge_node'
  kind: 'folder' | 'document'
  name: string
  parent_id?: string | null | undefined
  content?: string | undefined
  source_url?: string | null | undefined
  /** ISO 639-1; detected when it is not given. */
  language?: string | null | undefined
}

/** @throws {Refusal} codes of `mustTakeNew` */
export const createKnowledgeNode = {
  audit: auditedNode,
  reads(reads, { parent_id = null }) {
    wantParent(reads, parent_id)
  },
  run(turn, { kind, name, parent_id = null, content = '', source_url = null, language = null }, context) {
    mustTakeNew(turn, parent_id, kind)
    const text = kind === 'folder' ? null : content
    const node = addNode(turn, { type: kind, name, parent_id, content: text, source_url, language })
    turn.after(context.knowledge_changed)
    return { body: toKnowledgeNodeRecord(node) }
  },
} satisfies Command<CreateKnowledgeNode>
