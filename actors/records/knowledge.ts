/** The nodes of the knowledge tree and the imports of documents as the API shows them. */
import * as v from 'valibot'
import { type ImportView, type KnowledgeNode, toIndexError } from '../../storage/mod.ts'
import { type InMemory, named, recordId, timestamp, valuesOf } from '../schema/mod.ts'

const fault = v.object({ code: v.string(), message: v.string() })

/** Columns that the record shows as they are stored. */
const columns = v.object({
  _id: recordId,
  parent_id: v.nullable(recordId),
  type: v.picklist(['folder', 'document']),
  name: v.string(),
  source_url: v.nullable(v.string()),
  language: v.pipe(v.nullable(v.string()), v.description('Null until it is detected, and for folders')),
  index_status: v.pipe(
    v.picklist(['pending', 'indexed', 'failed']),
    v.description('A pending document is found by its former text, if it had one'),
  ),
  is_active: v.boolean(),
  created_at: timestamp,
  updated_at: timestamp,
})

const withFault = v.object({
  ...columns.entries,
  index_error: v.pipe(v.nullable(fault), v.description('The reason of failed')),
})

/** A node in the answer to a request for a tree. */
export const treeNode = v.object({
  ...withFault.entries,
  children: v.optional(
    v.pipe(
      v.nullable(v.array(v.unknown())),
      v.description('The nodes in a folder. Null when left out: ask with its id as parent_id'),
    ),
  ),
  next_cursor: v.optional(
    v.pipe(v.nullable(v.string()), v.description('Not null when a folder has more than these children')),
  ),
})

export const knowledgeNodeRecord = named(
  'KnowledgeNode',
  v.object({
    ...withFault.entries,
    version: v.pipe(v.number(), v.description('Grows with each change of name, content or language')),
    content: v.optional(
      v.pipe(v.nullable(v.string()), v.description('Only of documents; null while it is being fetched')),
    ),
  }),
)

export type KnowledgeNodeRecord = InMemory<v.InferOutput<typeof knowledgeNodeRecord>>

/** Leaves the content out. */
export function toListedKnowledgeNode(
  node: Omit<KnowledgeNode, 'number' | 'content'>,
): Omit<KnowledgeNodeRecord, 'content'> {
  return { ...valuesOf(columns, node), index_error: toIndexError(node.index_error), version: node.revision }
}

export function toKnowledgeNodeRecord(node: Omit<KnowledgeNode, 'number'>): KnowledgeNodeRecord {
  return { ...toListedKnowledgeNode(node), ...(node.type === 'document' && { content: node.content ?? null }) }
}

const importColumns = v.object({
  node_id: recordId,
  parent_id: v.nullable(recordId),
  name: v.pipe(v.string(), v.description('Name of the document')),
  origin: v.picklist(['file', 'url']),
  source: v.pipe(v.string(), v.description('The name of the file, or the address')),
  mime_type: v.pipe(v.nullable(v.string()), v.description('As found in the bytes; null until they were converted')),
  file_size: v.pipe(v.nullable(v.number()), v.description('Bytes; null until an address was fetched')),
  sha256: v.pipe(v.nullable(v.string()), v.description('Hex; null until an address was fetched')),
  status: v.picklist(['waiting', 'running', 'done', 'failed']),
  attempts: v.number(),
  warnings: v.pipe(
    v.array(v.object({ code: v.string(), message: v.string(), count: v.number() })),
    v.description('What the text lacks, such as 3 pages without text; empty when it has all of the source'),
  ),
  created_at: timestamp,
  updated_at: timestamp,
})

export const knowledgeImportRecord = named(
  'KnowledgeImport',
  v.object({ ...importColumns.entries, error: v.nullable(fault) }),
)

export type KnowledgeImportRecord = InMemory<v.InferOutput<typeof knowledgeImportRecord>>

export function toKnowledgeImportRecord(row: ImportView): KnowledgeImportRecord {
  const { error_code, error_message } = row
  return {
    ...valuesOf(importColumns, row),
    error: error_code ? { code: error_code, message: error_message ?? '' } : null,
  }
}
