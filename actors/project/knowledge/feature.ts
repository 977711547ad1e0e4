/** The tree of folders and documents that assistants answer from. */
import type { Feature } from '../turn/feature.ts'
import { createKnowledgeNode } from './create_node.ts'
import { deleteKnowledgeNode } from './delete_node.ts'
import { updateKnowledgeNode } from './update_node.ts'

export const knowledge = {
  commands: {
    create_knowledge_node: createKnowledgeNode,
    update_knowledge_node: updateKnowledgeNode,
    delete_knowledge_node: deleteKnowledgeNode,
  },
} satisfies Feature
