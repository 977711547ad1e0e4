/** `PATCH /v1/knowledge/nodes/{id}`. Only fields that differ are written; a changed text is indexed again. */
import { KnowledgeNode } from '../../../storage/mod.ts'
import { toKnowledgeNodeRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Command } from '../turn/feature.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { activeNode, auditedNode, countChild, mustHaveRevision, mustTakeMoved } from './place.ts'
import { knowledgeReads, wantNode, wantParent } from './reads.ts'

export type UpdateKnowledgeNode = {
  type: 'update_knowledge_node'
  id: string
  /** Versions of which the node must have one; undefined when any will do. */
  if_match?: string[] | undefined
  patch: {
    name?: string
    /** Null for the top. */
    parent_id?: string | null
    content?: string
    source_url?: string | null
    /** ISO 639-1; null to detect it. */
    language?: string | null
  }
}

/** @throws {Refusal} NOT_FOUND, PRECONDITION_FAILED, KNOWLEDGE_NODE_NOT_DOCUMENT, codes of `mustTakeMoved` */
export const updateKnowledgeNode = {
  audit: auditedNode,
  reads(reads, { id, patch: { parent_id } }) {
    wantNode(reads, id)
    if (parent_id !== undefined) wantParent(reads, parent_id, id)
  },
  run(turn, { id, if_match, patch: { parent_id, ...fields } }, context) {
    const node = activeNode(turn, id)
    mustHaveRevision(node, if_match)
    const { content, source_url, language } = fields
    if (node.type === 'folder' && (content !== undefined || source_url || language)) {
      throw refuse('KNOWLEDGE_NODE_NOT_DOCUMENT')
    }
    const from = node.parent_id ?? null
    const moves = parent_id !== undefined && parent_id !== from
    if (moves) mustTakeMoved(turn, parent_id, node)
    const change = { ...textChange(node, fields), ...(moves && { parent_id }) }
    if (Object.keys(change).length > 0) {
      write(turn, node, { ...change, updated_at: turn.now })
      turn.after(context.knowledge_changed)
      if (moves) {
        turn.records.of(knowledgeReads).places.get(id)!.parent_id = parent_id
        countChild(turn, from, -1)
        countChild(turn, parent_id, 1)
      }
    }
    return { body: toKnowledgeNodeRecord(node) }
  },
} satisfies Command<UpdateKnowledgeNode>

/** The columns that a patch of the fields changes. */
function textChange(
  node: KnowledgeNode,
  { name, content, source_url, language }: Omit<UpdateKnowledgeNode['patch'], 'parent_id'>,
): Partial<KnowledgeNode> {
  const change: Partial<KnowledgeNode> = {}
  if (source_url !== undefined && source_url !== (node.source_url ?? null)) change.source_url = source_url
  if (name !== undefined && name !== node.name) change.name = name
  if (node.type === 'folder') return change
  const indexed: Partial<KnowledgeNode> = {}
  if (content !== undefined && content !== node.content) indexed.content = content
  if (language !== undefined && language !== (node.language_is_given ? node.language : null)) {
    indexed.language = language
    indexed.language_is_given = language !== null
  }
  if (change.name === undefined && Object.keys(indexed).length === 0) return change
  const revised = { ...change, ...indexed, revision: node.revision + 1 }
  // Without a text there is nothing to index: an import decides about the status.
  if ((content ?? node.content ?? null) === null) return revised
  return { ...revised, index_status: 'pending', index_error: null }
}

function write(turn: ProjectTurn, node: KnowledgeNode, change: Partial<KnowledgeNode>): void {
  turn.update(KnowledgeNode, { _id: node._id }, change)
  Object.assign(node, change)
}
