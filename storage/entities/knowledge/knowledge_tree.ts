import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** The number of active nodes of a project, maintained by triggers. */
export const KnowledgeTree = defineEntity({
  name: 'KnowledgeTree',
  tableName: 'knowledge_tree',
  properties: {
    project_id: p.text().primary(),
    folders: p.integer(),
    documents: p.integer(),
  },
})

export type KnowledgeTree = InferEntity<typeof KnowledgeTree>
