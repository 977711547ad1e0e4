/** The knowledge tree of a project: folders and documents by name, level by level. */
import type { Database } from '../../database/database.ts'
import { sql } from '../../sql/sql.ts'
import { type Page, pageUntil } from '../common/keyset.ts'
import { type IndexError, toIndexError } from './knowledge.ts'

/** A node in a tree, without its content. */
export type TreeNode = {
  _id: string
  parent_id: string | null
  type: 'folder' | 'document'
  name: string
  source_url: string | null
  language: string | null
  index_status: 'pending' | 'indexed' | 'failed'
  index_error: IndexError | null
  is_active: boolean
  created_at: Date
  updated_at: Date
  /** For folders: the first nodes in it. Null when they were left out because of the depth or the size of the answer. */
  children?: TreeNode[] | null
  /** For folders: the last of `children` when there are more. */
  next_cursor?: string | null
}

/**
 * A place in the order of siblings: a node by the name that the reader saw. A node that is renamed, moved or deleted
 * between two pages would otherwise move or lose the place.
 */
export type TreePlace = Pick<TreeNode, '_id' | 'name'>

/** The place as the `cursor` of a page: the id, then the name in base64url. */
export function treeCursor({ _id, name }: TreePlace): string {
  return _id + Buffer.from(name).toString('base64url')
}

/** Undefined for a text that `treeCursor` did not make. */
export function treePlaceOf(cursor: string): TreePlace | undefined {
  const [, _id, encoded] = /^([0-9a-f]{24})([\w-]+)$/.exec(cursor) ?? []
  if (_id === undefined) return undefined
  const name = Buffer.from(encoded!, 'base64url').toString()
  // Other bytes than those of a text come back as others, and PostgreSQL stores no NUL.
  return treeCursor({ _id, name }) === cursor && !name.includes('\0') ? { _id, name } : undefined
}

export type TreeOptions = {
  /** The folder to look into; null for the top. */
  parent_id: string | null
  /** Levels below it, at least 1. */
  depth: number
  /** Maximum nodes of each folder. */
  limit: number
  /** The place among the nodes of the parent after which to begin. */
  cursor?: TreePlace | undefined
}

/** Maximum nodes of one answer. */
const MAX = 2000

const COLUMNS = sql`_id, parent_id, type, name, source_url, language, index_status, index_error, is_active, created_at, updated_at`
/** The order of siblings. `knowledge_node_children` has it. */
const ORDER = sql`(search_fold(name)) collate "C", _id`

/** Nodes below a folder. A folder whose children would exceed the size of the answer has `children: null`. */
export async function readKnowledgeTree(
  database: Database,
  project_id: string,
  { parent_id, depth, limit, cursor }: TreeOptions,
): Promise<Page<TreeNode>> {
  const inside = parent_id === null ? sql`parent_id is null` : sql`parent_id = ${parent_id}`
  const after = cursor && sql`(${ORDER}) > ((search_fold(${cursor.name})) collate "C", ${cursor._id})`
  const rows = await database.execute<StoredNode>(sql`
    select ${COLUMNS} from knowledge_node
    where project_id = ${project_id} and ${inside} and is_active ${after ? sql`and ${after}` : sql``}
    order by ${ORDER} limit ${limit + 1}`)
  const { children: data, next_cursor } = cut(rows.map(toNode), limit)
  let left = MAX - data.length
  let folders = data.filter(isFolder)
  for (let level = 1; level < depth && folders.length > 0 && left > 0; level++) {
    const below = await readChildren(database, project_id, folders, limit, left)
    const next: TreeNode[] = []
    for (const folder of folders) {
      const own = below.get(folder._id) ?? []
      if (own.length > left) break
      Object.assign(folder, cut(own, limit))
      left -= folder.children!.length
      next.push(...folder.children!.filter(isFolder))
    }
    folders = next
  }
  return pageUntil(data, next_cursor)
}

const isFolder = ({ type }: TreeNode) => type === 'folder'

/** The first children of each folder, one more than `limit` where there are more; at most `left` + 1 in all. */
async function readChildren(
  database: Database,
  project_id: string,
  folders: TreeNode[],
  limit: number,
  left: number,
): Promise<Map<string, TreeNode[]>> {
  const ids = folders.slice(0, left + 1).map(({ _id }, at) => sql`(${at}, ${_id})`)
  const rows = await database.execute<StoredNode>(sql`
    select child.* from (values ${sql.join(ids, ', ')}) folder (at, _id), lateral (
      select ${COLUMNS} from knowledge_node
      where project_id = ${project_id} and parent_id = folder._id and is_active order by ${ORDER} limit ${limit + 1}
    ) child order by folder.at, (search_fold(child.name)) collate "C", child._id limit ${left + 1}`)
  return Map.groupBy(rows.map(toNode), ({ parent_id }) => parent_id!)
}

type StoredNode = Omit<TreeNode, 'index_error'> & { index_error: string | null }

function toNode({ created_at, updated_at, index_error, ...row }: StoredNode): TreeNode {
  const times = { created_at: new Date(created_at), updated_at: new Date(updated_at) }
  const node = { ...row, index_error: toIndexError(index_error), ...times }
  return row.type === 'folder' ? { ...node, children: null, next_cursor: null } : node
}

function cut(nodes: TreeNode[], limit: number): { children: TreeNode[]; next_cursor: string | null } {
  const children = nodes.slice(0, limit)
  return { children, next_cursor: nodes.length > limit ? treeCursor(children.at(-1)!) : null }
}
