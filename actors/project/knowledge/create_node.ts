/** `POST /v1/knowledge/nodes`. A document is searchable once it is indexed, shortly after the answer. */
import { KnowledgeNode, objectId, toKnowledgeRecord } from '../../../storage/mod.ts'
import type { Command } from '../turn/feature.ts'
import { countChild, mustTakeNew } from './place.ts'
import { knowledgeReads, wantParent } from './reads.ts'

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
export const createKnowledgeNode: Command<CreateKnowledgeNode> = {
  reads(reads, { parent_id = null }) {
    wantParent(reads, parent_id)
  },
  run(turn, { kind, name, parent_id = null, content = '', source_url = null, language = null }, context) {
    mustTakeNew(turn, parent_id, kind)
    const { company_id, project_id } = turn.state
    const is_folder = kind === 'folder'
    const node: Omit<KnowledgeNode, 'number'> = {
      _id: objectId(),
      company_id,
      project_id,
      parent_id,
      type: kind,
      name,
      content: is_folder ? null : content,
      source_url,
      language,
      language_is_given: language !== null,
      index_status: is_folder ? 'indexed' : 'pending',
      index_error: null,
      words: 0,
      revision: 1,
      is_active: true,
      deleted_with: null,
      created_at: turn.now,
      updated_at: turn.now,
    }
    turn.insert(KnowledgeNode, node)
    turn.after(context.knowledge_changed)
    const records = turn.records.of(knowledgeReads)
    if (is_folder) records.folders++
    else records.documents++
    countChild(turn, parent_id, 1)
    return { body: toKnowledgeRecord(node) }
  },
}
