/**
 * The nodes of the tree that are known, in the branches that were read. No DOM.
 *
 *  T1 A branch has its nodes in the order of the server: by folded name, then by id.
 *  T2 A node that is heard of is in a loaded branch only when it would be on the pages that were read.
 */

import type { Fault } from '../../records/fault.ts'
import type { TreeNode } from '../../records/knowledge.ts'
import { folded } from '../folded.ts'

/** The nodes of a folder. `cursor` is not null when there are more. */
type Branch = { ids: string[]; cursor: string | null; state: 'loading' | 'ready' | 'failed'; fault: Fault | null }
/** A line of the tree. `at` counts from 1; `of` is -1 when the folder has more nodes than were read. */
export type Row =
  | {
      kind: 'node'
      id: string
      node: TreeNode
      level: number
      at: number
      of: number
      is_open: boolean
      parent_id: string | null
    }
  | { kind: 'loading' | 'failed' | 'more' | 'empty'; id: string; level: number; parent_id: string | null }

/** Folders above a node, at most. */
export const MAX_DEPTH = 20

export class TreeNodes {
  #nodes = new Map<string, TreeNode>()
  /** Keys are the ids of folders; the top is null. */
  #branches = new Map<string | null, Branch>()
  #open = new Set<string>()
  #rows: Row[] | undefined
  #on_change

  constructor(on_change: () => void) {
    this.#on_change = on_change
  }

  node(id: string) {
    return this.#nodes.get(id)
  }

  branch(id: string | null) {
    return this.#branches.get(id)
  }

  /** The known nodes in a folder. */
  nodesIn(id: string | null) {
    return this.#branches.get(id)?.ids.flatMap((one) => this.#nodes.get(one) ?? []) ?? []
  }

  isOpen(id: string) {
    return this.#open.has(id)
  }

  /** All lines, from the top. */
  get rows() {
    this.#rows ??= this.#below(null, 1)
    return this.#rows
  }

  /** The known folders from the top to a node, and the node. */
  pathTo(id: string | null) {
    const path: TreeNode[] = []
    for (let at = id; at !== null && path.length < MAX_DEPTH; ) {
      const node = this.#nodes.get(at)
      if (!node) break
      path.unshift(node)
      at = node.parent_id
    }
    return path
  }

  /** The folders that were read, with their branches. */
  get branches() {
    return [...this.#branches]
  }

  /** Opens a folder, or closes it. */
  setOpen(id: string, is_open: boolean) {
    if (this.#open.has(id) === is_open) return
    if (is_open) this.#open.add(id)
    else this.#open.delete(id)
    this.changed()
  }

  /** Forgets what was read of a folder. */
  forget(id: string | null) {
    this.#branches.delete(id)
  }

  keep({ children, next_cursor, content, ...node }: TreeNode & { content?: unknown }) {
    this.#nodes.set(node._id, node)
  }

  /** Puts a node into the branch of its folder, if that is loaded. */
  place({ _id, parent_id }: Omit<TreeNode, 'children'>) {
    const branch = this.#branches.get(parent_id)
    if (branch?.state !== 'ready') return
    const others = branch.ids.filter((id) => id !== _id)
    const ids = this.sorted([...others, _id])
    const is_beyond = branch.cursor !== null && ids.at(-1) === _id
    this.#branches.set(parent_id, { ...branch, ids: is_beyond && !branch.ids.includes(_id) ? others : ids })
  }

  takeOut(id: string, parent_id: string | null) {
    const branch = this.#branches.get(parent_id)
    if (branch) this.#branches.set(parent_id, { ...branch, ids: branch.ids.filter((one) => one !== id) })
  }

  drop(id: string) {
    const node = this.#nodes.get(id)
    for (const below of this.#branches.get(id)?.ids ?? []) this.drop(below)
    this.#branches.delete(id)
    this.#open.delete(id)
    this.#nodes.delete(id)
    if (node) this.takeOut(id, node.parent_id)
    this.changed()
  }

  put(id: string | null, branch: Branch) {
    this.#branches.set(id, branch)
    this.changed()
  }

  sorted(ids: string[]) {
    return ids.toSorted((one, other) => compare(this.#nodes.get(one), this.#nodes.get(other)))
  }

  #below(parent_id: string | null, level: number): Row[] {
    const branch = this.#branches.get(parent_id)
    const line = { id: `${parent_id}`, level, parent_id }
    if (!branch || (branch.state === 'loading' && branch.ids.length === 0)) return [{ kind: 'loading', ...line }]
    if (branch.state === 'failed' && branch.ids.length === 0) return [{ kind: 'failed', ...line }]
    if (branch.ids.length === 0) return [{ kind: 'empty', ...line }]
    const rows: Row[] = []
    const of = branch.cursor === null ? branch.ids.length : -1
    for (const [index, id] of branch.ids.entries()) {
      const node = this.#nodes.get(id)
      if (!node) continue
      const is_open = node.type === 'folder' && this.#open.has(id)
      rows.push({ kind: 'node', id, node, level, at: index + 1, of, is_open, parent_id })
      if (is_open) rows.push(...this.#below(id, level + 1))
    }
    if (branch.cursor !== null) rows.push({ kind: branch.state === 'failed' ? 'failed' : 'more', ...line })
    return rows
  }

  changed() {
    this.#rows = undefined
    this.#on_change()
  }
}

function compare(one: TreeNode | undefined, other: TreeNode | undefined) {
  if (!one || !other) return 0
  const a = folded(one.name)
  const b = folded(other.name)
  if (a !== b) return a < b ? -1 : 1
  return one._id < other._id ? -1 : 1
}
