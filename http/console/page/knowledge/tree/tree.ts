/**
 * The tree of knowledge as far as it was opened. A folder is read when it is opened first, a page of its nodes at a time.
 * No DOM.
 */

import { signal } from '@preact/signals'
import { faultOf } from '../../data/errors.ts'
import type { ProjectApi } from '../../data/project_api.ts'
import type { KnowledgeNode, TreeNode } from '../../records/knowledge.ts'
import { contentsOf } from './folder_contents.ts'
import { MAX_DEPTH, TreeNodes } from './tree_nodes.ts'

/** Nodes of a page. */
const PAGE = 200

export class Tree {
  /** Counts changes; views read it to be drawn again. */
  version = signal(0)
  #known = new TreeNodes(() => this.version.value++)
  #api

  constructor(api: Pick<ProjectApi, 'get' | 'post' | 'patch' | 'delete'>) {
    this.#api = api
  }

  node(id: string) {
    return this.#known.node(id)
  }

  branch(id: string | null) {
    return this.#known.branch(id)
  }

  nodesIn(id: string | null) {
    return this.#known.nodesIn(id)
  }

  isOpen(id: string) {
    return this.#known.isOpen(id)
  }

  /** All lines, from the top. */
  get rows() {
    return this.#known.rows
  }

  pathTo(id: string | null) {
    return this.#known.pathTo(id)
  }

  /** True when nodes that wait to be indexed are shown. */
  get hasPending() {
    return this.rows.some((row) => row.kind === 'node' && row.node.index_status === 'pending')
  }

  /** Reads the first page of a folder, unless it was read. Resolves when it is there. */
  async load(id: string | null) {
    const known = this.#known.branch(id)
    if (known && known.state !== 'failed') return
    this.#known.put(id, { ids: [], cursor: null, state: 'loading', fault: null })
    await this.#read(id, 1)
  }

  open(id: string) {
    this.#known.setOpen(id, true)
    return this.load(id)
  }

  close(id: string) {
    this.#known.setOpen(id, false)
  }

  /** Reads the next page of a folder. */
  async readMore(id: string | null) {
    const branch = this.#known.branch(id)
    if (!branch?.cursor || branch.state === 'loading') return
    const { cursor } = branch
    this.#known.put(id, { ...branch, state: 'loading' })
    try {
      const { data, next_cursor } = await this.#page(id, cursor)
      const now = this.#known.branch(id) ?? branch
      for (const node of data) this.#known.keep(node)
      const ids = [...new Set([...now.ids, ...data.map(({ _id }) => _id)])]
      this.#known.put(id, { ids: this.#known.sorted(ids), cursor: next_cursor, state: 'ready', fault: null })
    } catch (error) {
      this.#known.put(id, { ...branch, state: 'failed', fault: faultOf(error) })
    }
  }

  /** Opens the folders above a node, so that the tree shows it. Resolves to false when there is no such node. */
  async reveal(id: string) {
    const path = []
    for (let at = id as string | null; at !== null && path.length < MAX_DEPTH; ) {
      const node = this.#known.node(at) ?? (await this.#find(at))
      if (!node) return false
      path.unshift(node)
      at = node.parent_id
    }
    await this.load(null)
    for (const node of path) {
      if (node._id !== id) await this.open(node._id)
      this.#known.place(node)
    }
    this.#known.changed()
    return true
  }

  /** Reads all folders again that were read. */
  async read() {
    const isShown = (id: string | null) => id === null || this.isOpen(id)
    const known = this.#known.branches.filter(([id]) => isShown(id))
    for (const [id] of this.#known.branches) if (!isShown(id)) this.#known.forget(id)
    await Promise.all(known.map(([id, { ids }]) => this.#read(id, Math.max(1, Math.ceil(ids.length / PAGE)))))
  }

  /** Reads the folders again in which nodes wait to be indexed. */
  async readPending() {
    const folders = new Set<string | null>()
    for (const row of this.rows) {
      if (row.kind === 'node' && row.node.index_status === 'pending') folders.add(row.parent_id)
    }
    await Promise.all(
      [...folders].map((id) => this.#read(id, Math.ceil((this.#known.branch(id)?.ids.length ?? 1) / PAGE) || 1)),
    )
  }

  /** A node that is new, changed or deleted. */
  hear(node: Omit<KnowledgeNode, 'version'>) {
    if (!node.is_active) return this.#known.drop(node._id)
    const known = this.#known.node(node._id)
    if (known && known.updated_at > node.updated_at) return
    this.#known.keep(node)
    if (known && known.parent_id !== node.parent_id) this.#known.takeOut(node._id, known.parent_id)
    this.#known.place(node)
    this.#known.changed()
  }

  async create(fields: {
    type: 'folder' | 'document'
    name: string
    parent_id: string | null
    content?: string
  }): Promise<KnowledgeNode> {
    const node = await this.#api.post('knowledge/nodes', fields)
    if (node.parent_id !== null) await this.open(node.parent_id)
    this.hear(node)
    return node
  }

  rename(id: string, name: string) {
    return this.#change(id, { name })
  }

  /** Moves a node into a folder, or to the top. It is shown there at once; a refusal takes it back and is thrown. */
  async move(id: string, parent_id: string | null) {
    await this.#change(id, { parent_id })
  }

  /** True when a node may be put into a folder: not where it is, nor into itself or below. */
  canMove(id: string, folder: string | null) {
    const node = this.#known.node(id)
    return node !== undefined && node.parent_id !== folder && !this.pathTo(folder).some(({ _id }) => _id === id)
  }

  async remove(id: string) {
    await this.#api.delete(`knowledge/nodes/${id}`)
    this.#known.drop(id)
  }

  /** The nodes that are deleted with a folder. */
  contentsOf(id: string) {
    return contentsOf(this.#api, id)
  }

  async #change(id: string, change: { name?: string; parent_id?: string | null }) {
    const before = this.#known.node(id)
    if (before) this.#show({ ...before, ...change }, before)
    try {
      const node = await this.#api.patch(`knowledge/nodes/${id}`, change)
      this.hear(node)
      return node
    } catch (error) {
      const now = this.#known.node(id)
      if (before && now) this.#show({ ...now, ...pick(before, change) }, now)
      throw error
    }
  }

  #show(node: TreeNode, before: TreeNode) {
    this.#known.keep(node)
    if (before.parent_id !== node.parent_id) this.#known.takeOut(node._id, before.parent_id)
    this.#known.place(node)
    this.#known.changed()
  }

  async #read(id: string | null, pages: number) {
    try {
      const ids = []
      let cursor: string | null = null
      for (let page = 0; page < pages; page++) {
        const { data, next_cursor } = await this.#page(id, cursor ?? undefined)
        for (const node of data) this.#known.keep(node)
        ids.push(...data.map(({ _id }) => _id))
        cursor = next_cursor
        if (cursor === null) break
      }
      this.#known.put(id, { ids, cursor, state: 'ready', fault: null })
    } catch (error) {
      const fault = faultOf(error)
      const known = this.#known.branch(id)
      if (fault.status === 404 && id !== null) this.#known.drop(id)
      else if (!known || known.state === 'loading')
        this.#known.put(id, { ids: [], cursor: null, state: 'failed', fault })
    }
  }

  #page(id: string | null, cursor?: string): Promise<{ data: TreeNode[]; next_cursor: string | null }> {
    return this.#api.get('knowledge/tree', { parent_id: id, depth: 1, limit: PAGE, cursor })
  }

  async #find(id: string): Promise<TreeNode | undefined> {
    try {
      const { content, ...node } = await this.#api.get(`knowledge/nodes/${id}`)
      this.#known.keep(node)
      return node
    } catch (error) {
      if (faultOf(error).status === 404 || faultOf(error).status === 400) return undefined
      throw error
    }
  }
}

function pick(from: Record<string, unknown>, names: object) {
  return Object.fromEntries(Object.keys(names).map((name) => [name, from[name]]))
}
