/** @typedef {import('../../page_types/knowledge.ts').TreeNode} TreeNode */

/** Levels below a folder that are counted before it is deleted, and nodes that are named. */
const COUNTED_LEVELS = 20
const MAX_NAMED = 6

/**
 * Nodes that are deleted with a folder. `is_cut` when there is more than was counted.
 *
 * @param {Pick<import('../data/project_api.js').ProjectApi, 'get'>} api
 * @param {string} id
 */
export async function contentsOf(api, id) {
  const { data, next_cursor } = await api.get('knowledge/tree', { parent_id: id, depth: COUNTED_LEVELS })
  let folders = 0
  let documents = 0
  let is_cut = next_cursor !== null
  /** @type {Pick<TreeNode, '_id' | 'name' | 'type'>[]} */
  const first = []
  /** @param {TreeNode[]} nodes */
  const count = (nodes) => {
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
