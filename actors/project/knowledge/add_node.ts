import { KnowledgeNode, objectId } from '../../../storage/mod.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { countChild } from './place.ts'
import { knowledgeReads } from './reads.ts'

/** The database numbers the node. */
export type NewNode = Omit<KnowledgeNode, 'number'>

type Fields = Pick<NewNode, 'parent_id' | 'type' | 'name' | 'content' | 'source_url' | 'language'>

/** Adds a folder, or a document that is to be indexed, to a place that takes it (`mustTakeNew`). */
export function addNode(turn: ProjectTurn, fields: Fields): NewNode {
  const { company_id, project_id } = turn.state
  const is_folder = fields.type === 'folder'
  const node: NewNode = {
    _id: objectId(),
    company_id,
    project_id,
    ...fields,
    language_is_given: fields.language !== null,
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
  const records = turn.records.of(knowledgeReads)
  if (is_folder) records.folders++
  else records.documents++
  countChild(turn, node.parent_id ?? null, 1)
  return node
}
