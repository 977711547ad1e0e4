/**
 * `DELETE /v1/knowledge/nodes/{id}`. Nodes below a folder are deleted with it, by a trigger of the table in the same
 * transaction. The rows stay, inactive.
 */
import { KnowledgeNode } from '../../../storage/mod.ts'
import type { Command } from '../turn/feature.ts'
import { activeNode, auditedNode, countChild, mustHaveRevision } from './place.ts'
import { knowledgeReads, wantNode } from './reads.ts'

export type DeleteKnowledgeNode = {
  type: 'delete_knowledge_node'
  id: string
  /** Versions of which the node must have one; undefined when any will do. */
  if_match?: string[] | undefined
}

/** @throws {Refusal} NOT_FOUND, PRECONDITION_FAILED */
export const deleteKnowledgeNode = {
  audit: auditedNode,
  reads(reads, { id }) {
    wantNode(reads, id)
  },
  run(turn, { id, if_match }, context) {
    const node = activeNode(turn, id)
    mustHaveRevision(node, if_match)
    turn.update(KnowledgeNode, { _id: id }, { is_active: false, revision: node.revision + 1, updated_at: turn.now })
    turn.after(context.knowledge_changed)
    turn.records.of(knowledgeReads).places.get(id)!.is_active = false
    countChild(turn, node.parent_id ?? null, -1)
    return {}
  },
} satisfies Command<DeleteKnowledgeNode>
