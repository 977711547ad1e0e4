/** Knowledge, as the API answers it. Times are ISO 8601. */

export type IndexFault = { code: string; message: string }

/** A node without its text, as live events have it. */
export type KnowledgeNode = {
  _id: string
  parent_id: string | null
  type: 'folder' | 'document'
  name: string
  source_url: string | null
  language: string | null
  index_status: 'pending' | 'indexed' | 'failed'
  index_error: IndexFault | null
  is_active: boolean
  version: number
  created_at: string
  updated_at: string
}

/** Null while the text is being fetched. */
export type KnowledgeDocument = KnowledgeNode & { content: string | null }

/** A node in the answer to a request for a tree. */
export type TreeNode = Omit<KnowledgeNode, 'version'> & { children?: TreeNode[] | null; next_cursor?: string | null }

export type KnowledgeHit = { node_id: string; name: string; snippet: string; highlight: string; score: number }

export type ImportWarning = { code: string; message: string; count: number }

export type KnowledgeImport = {
  node_id: string
  parent_id: string | null
  name: string
  origin: 'file' | 'url'
  source: string
  mime_type: string | null
  file_size: number | null
  sha256: string | null
  status: 'waiting' | 'running' | 'done' | 'failed'
  attempts: number
  warnings: readonly ImportWarning[]
  error: IndexFault | null
  created_at: string
  updated_at: string
}
