import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

export type KnowledgeNodeType = 'folder' | 'document'
export type IndexStatus = 'pending' | 'indexed' | 'failed'

/** A folder or a document in the tree of a project. */
export const KnowledgeNode = defineEntity({
  name: 'KnowledgeNode',
  tableName: 'knowledge_node',
  properties: {
    _id: p.text().primary(),
    /** Names the document in the index. Assigned by the database. */
    number: p.integer(),
    company_id: p.text(),
    project_id: p.text(),
    /** A folder; null at the top. */
    parent_id: p.text().nullable(),
    type: p.text().$type<KnowledgeNodeType>(),
    name: p.text(),
    /** Null for folders, and for documents whose content is still being fetched. */
    content: p.text().nullable(),
    source_url: p.text().nullable(),
    /** ISO 639-1. Null for folders, and until it is detected. */
    language: p.text().nullable(),
    /** The client gave the language, so it is not detected. */
    language_is_given: p.boolean(),
    index_status: p.text().$type<IndexStatus>(),
    /** The reason of `failed`. */
    index_error: p.text().nullable(),
    /** Indexed words, including repetitions. */
    words: p.integer(),
    /** Counts the changes of what is indexed: name, content, language and the deletion. A document with a new one is queued. */
    revision: p.integer(),
    is_active: p.boolean(),
    /** The folder with which it was deleted; null when it was deleted itself. */
    deleted_with: p.text().nullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type KnowledgeNode = InferEntity<typeof KnowledgeNode>
