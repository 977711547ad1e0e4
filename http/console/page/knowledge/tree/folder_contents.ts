import type { ProjectApi } from '../../data/project_api.ts'
import type { TreeNode } from '../../records/knowledge.ts'

/** Levels below a folder that are counted before it is deleted, and nodes that are named. */
const COUNTED_LEVELS = 20
const MAX_NAMED = 6

/** Nodes that are deleted with a folder. `is_cut` when there is more than was counted. */
export async function contentsOf(api: Pick<ProjectApi, 'get'>, id: string) {
  const { data, next_cursor } = await api.get('knowledge/tree', { parent_id: id, depth: COUNTED_LEVELS })
  let folders = 0
  let documents = 0
  let is_cut = next_cursor !== null
  const first: Pick<TreeNode, '_id' | 'name' | 'type'>[] = []
  const count = (nodes: TreeNode[]) => {
    for (const node of nodes) {
      if (first.length < MAX_NAMED) first.push(node)
      if (node.type === 'folder') {
        folders++
        if (!node.children || node.next_cursor) is_cut = true
        count(node.children ?? [])
      } else documents++
    }
  }
  count(data)
  return { folders, documents, first, is_cut }
}
