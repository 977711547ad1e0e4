/**
 * The tree of knowledge as far as it was opened. A folder is read when it is opened first, a page of its nodes at a time.
 * No DOM.
 *
 *  T1 A branch has its nodes in the order of the server: by folded name, then by id.
 *  T2 A node that is heard of is in a loaded branch only when it would be on the pages that were read.
 */
import { signal } from '@preact/signals'
import { faultOf } from '../data/errors.js'

/** @typedef {import('../../page_types/knowledge.ts').TreeNode} TreeNode */
/** @typedef {import('../../page_types/knowledge.ts').KnowledgeNode} KnowledgeNode */
/** @typedef {import('../../page_types/fault.ts').Fault} Fault */
/**
 * The nodes of a folder. `cursor` is not null when there are more.
 *
 * @typedef {{ ids: string[], cursor: string | null, state: 'loading' | 'ready' | 'failed', fault: Fault | null }} Branch
 */
/**
 * A line of the tree. `at` counts from 1; `of` is -1 when the folder has more nodes than were read.
 *
 * @typedef {{ kind: 'node', id: string, node: TreeNode, level: number, at: number, of: number, is_open: boolean, parent_id: string | null }
 *   | { kind: 'loading' | 'failed' | 'more' | 'empty', id: string, level: number, parent_id: string | null }} Row
 */

/** Nodes of a page. */
const PAGE = 200
/** Folders above a node, at most. */
const DEEPEST = 20
/** Levels below a folder that are counted before it is deleted, and nodes that are named. */
const COUNTED_LEVELS = 20
const MOST_NAMED = 6

export class Tree {
  /** Counts changes; views read it to be drawn again. */
  version = signal(0)
  /** @type {Map<string, TreeNode>} */
  #nodes = new Map()
  /** Keys are the ids of folders; the top is null. @type {Map<string | null, Branch>} */
  #branches = new Map()
  /** @type {Set<string>} */
  #open = new Set()
  #api
  /** @type {Row[] | undefined} */
  #rows

  /** @param {Pick<import('../data/project_api.js').ProjectApi, 'get' | 'post' | 'patch' | 'delete'>} api */
  constructor(api) {
    this.#api = api
  }

  /** @param {string} id */
  node(id) {
    return this.#nodes.get(id)
  }

  /** @param {string | null} id */
  branch(id) {
    return this.#branches.get(id)
  }

  /**
   * The known nodes in a folder.
   *
   * @param {string | null} id
   */
  nodesIn(id) {
    return this.#branches.get(id)?.ids.flatMap((one) => this.#nodes.get(one) ?? []) ?? []
  }

  /** @param {string} id */
  isOpen(id) {
    return this.#open.has(id)
  }

  /** All lines, from the top. */
  get rows() {
    this.#rows ??= this.#below(null, 1)
    return this.#rows
  }

  /**
   * The known folders from the top to a node, and the node.
   *
   * @param {string | null} id
   */
  pathTo(id) {
    /** @type {TreeNode[]} */
    const path = []
    for (let at = id; at !== null && path.length < DEEPEST; ) {
      const node = this.#nodes.get(at)
      if (!node) break
      path.unshift(node)
      at = node.parent_id
    }
    return path
  }

  /** True when nodes that wait to be indexed are shown. */
  get hasPending() {
    return this.rows.some((row) => row.kind === 'node' && row.node.index_status === 'pending')
  }

  /**
   * Reads the first page of a folder, unless it was read. Resolves when it is there.
   *
   * @param {string | null} id
   */
  async load(id) {
    const known = this.#branches.get(id)
    if (known && known.state !== 'failed') return
    this.#branches.set(id, { ids: [], cursor: null, state: 'loading', fault: null })
    this.#changed()
    await this.#read(id, 1)
  }

  /** @param {string} id */
  open(id) {
    if (!this.#open.has(id)) {
      this.#open.add(id)
      this.#changed()
    }
    return this.load(id)
  }

  /** @param {string} id */
  close(id) {
    this.#open.delete(id)
    this.#changed()
  }

  /**
   * Reads the next page of a folder.
   *
   * @param {string | null} id
   */
  async readMore(id) {
    const branch = this.#branches.get(id)
    if (!branch?.cursor || branch.state === 'loading') return
    const { cursor } = branch
    this.#put(id, { ...branch, state: 'loading' })
    try {
      const { data, next_cursor } = await this.#page(id, cursor)
      const now = this.#branches.get(id) ?? branch
      for (const node of data) this.#keep(node)
      const ids = [...new Set([...now.ids, ...data.map(({ _id }) => _id)])]
      this.#put(id, { ids: this.#sorted(ids), cursor: next_cursor, state: 'ready', fault: null })
    } catch (error) {
      this.#put(id, { ...branch, state: 'failed', fault: faultOf(error) })
    }
  }

  /**
   * Opens the folders above a node, so that the tree shows it. Resolves to false when there is no such node.
   *
   * @param {string} id
   */
  async reveal(id) {
    const path = []
    for (let at = /** @type {string | null} */ (id); at !== null && path.length < DEEPEST; ) {
      const node = this.#nodes.get(at) ?? (await this.#find(at))
      if (!node) return false
      path.unshift(node)
      at = node.parent_id
    }
    await this.load(null)
    for (const node of path) {
      if (node._id !== id) await this.open(node._id)
      this.#place(node)
    }
    this.#changed()
    return true
  }

  /** Reads all folders again that were read. */
  async read() {
    const known = [...this.#branches].filter(([id]) => id === null || this.#open.has(id))
    for (const [id] of this.#branches) if (id !== null && !this.#open.has(id)) this.#branches.delete(id)
    await Promise.all(known.map(([id, { ids }]) => this.#read(id, Math.max(1, Math.ceil(ids.length / PAGE)))))
  }

  /** Reads the folders again in which nodes wait to be indexed. */
  async readPending() {
    const folders = new Set()
    for (const row of this.rows) {
      if (row.kind === 'node' && row.node.index_status === 'pending') folders.add(row.parent_id)
    }
    await Promise.all(
      [...folders].map((id) => this.#read(id, Math.ceil((this.#branches.get(id)?.ids.length ?? 1) / PAGE) || 1)),
    )
  }

  /**
   * A node that is new, changed or deleted.
   *
   * @param {Omit<KnowledgeNode, 'version'>} node
   */
  hear(node) {
    if (!node.is_active) return this.#drop(node._id)
    const known = this.#nodes.get(node._id)
    if (known && known.updated_at > node.updated_at) return
    this.#keep(node)
    if (known && known.parent_id !== node.parent_id) this.#takeOut(node._id, known.parent_id)
    this.#place(node)
    this.#changed()
  }

  /**
   * @param {{ type: 'folder' | 'document', name: string, parent_id: string | null, content?: string }} fields
   * @returns {Promise<KnowledgeNode>}
   */
  async create(fields) {
    const node = await this.#api.post('knowledge/nodes', fields)
    if (node.parent_id !== null) await this.open(node.parent_id)
    this.hear(node)
    return node
  }

  /**
   * @param {string} id
   * @param {string} name
   */
  rename(id, name) {
    return this.#change(id, { name })
  }

  /**
   * Moves a node into a folder, or to the top. It is shown there at once; a refusal takes it back and is thrown.
   *
   * @param {string} id
   * @param {string | null} parent_id
   */
  async move(id, parent_id) {
    await this.#change(id, { parent_id })
  }

  /**
   * True when a node may be put into a folder: not where it is, nor into itself or below.
   *
   * @param {string} id
   * @param {string | null} folder
   */
  canMove(id, folder) {
    const node = this.#nodes.get(id)
    return node !== undefined && node.parent_id !== folder && !this.pathTo(folder).some(({ _id }) => _id === id)
  }

  /** @param {string} id */
  async remove(id) {
    await this.#api.delete(`knowledge/nodes/${id}`)
    this.#drop(id)
  }

  /**
   * Nodes that are deleted with a folder. `is_cut` when there is more than was counted.
   *
   * @param {string} id
   */
  async contentsOf(id) {
    const { data, next_cursor } = await this.#api.get('knowledge/tree', { parent_id: id, depth: COUNTED_LEVELS })
    let folders = 0
    let documents = 0
    let is_cut = next_cursor !== null
    /** @type {Pick<TreeNode, '_id' | 'name' | 'type'>[]} */
    const first = []
    /** @param {TreeNode[]} nodes */
    const count = (nodes) => {
      for (const node of nodes) {
        if (first.length < MOST_NAMED) first.push(node)
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

  /**
   * @param {string} id
   * @param {{ name?: string, parent_id?: string | null }} change
   */
  async #change(id, change) {
    const before = this.#nodes.get(id)
    if (before) this.#show({ ...before, ...change }, before)
    try {
      const node = await this.#api.patch(`knowledge/nodes/${id}`, change)
      this.hear(node)
      return node
    } catch (error) {
      const now = this.#nodes.get(id)
      if (before && now) this.#show({ ...now, ...pick(before, change) }, now)
      throw error
    }
  }

  /**
   * @param {TreeNode} node
   * @param {TreeNode} before
   */
  #show(node, before) {
    this.#keep(node)
    if (before.parent_id !== node.parent_id) this.#takeOut(node._id, before.parent_id)
    this.#place(node)
    this.#changed()
  }

  /**
   * @param {string | null} id
   * @param {number} pages
   */
  async #read(id, pages) {
    try {
      const ids = []
      /** @type {string | null} */
      let cursor = null
      for (let page = 0; page < pages; page++) {
        const { data, next_cursor } = await this.#page(id, cursor ?? undefined)
        for (const node of data) this.#keep(node)
        ids.push(...data.map(({ _id }) => _id))
        cursor = next_cursor
        if (cursor === null) break
      }
      this.#put(id, { ids, cursor, state: 'ready', fault: null })
    } catch (error) {
      const fault = faultOf(error)
      const known = this.#branches.get(id)
      if (fault.status === 404 && id !== null) this.#drop(id)
      else if (!known || known.state === 'loading') this.#put(id, { ids: [], cursor: null, state: 'failed', fault })
    }
  }

  /**
   * @param {string | null} id
   * @param {string} [cursor]
   * @returns {Promise<{ data: TreeNode[], next_cursor: string | null }>}
   */
  #page(id, cursor) {
    return this.#api.get('knowledge/tree', { parent_id: id, depth: 1, limit: PAGE, cursor })
  }

  /** @param {string} id @returns {Promise<TreeNode | undefined>} */
  async #find(id) {
    try {
      const { content, ...node } = await this.#api.get(`knowledge/nodes/${id}`)
      this.#keep(node)
      return node
    } catch (error) {
      if (faultOf(error).status === 404 || faultOf(error).status === 400) return undefined
      throw error
    }
  }

  /** @param {TreeNode & { content?: unknown }} node */
  #keep({ children, next_cursor, content, ...node }) {
    this.#nodes.set(node._id, node)
  }

  /**
   * Puts a node into the branch of its folder, if that is loaded.
   *
   * @param {Omit<TreeNode, 'children'>} node
   */
  #place({ _id, parent_id }) {
    const branch = this.#branches.get(parent_id)
    if (branch?.state !== 'ready') return
    const others = branch.ids.filter((id) => id !== _id)
    const ids = this.#sorted([...others, _id])
    const is_beyond = branch.cursor !== null && ids.at(-1) === _id
    this.#branches.set(parent_id, { ...branch, ids: is_beyond && !branch.ids.includes(_id) ? others : ids })
  }

  /**
   * @param {string} id
   * @param {string | null} parent_id
   */
  #takeOut(id, parent_id) {
    const branch = this.#branches.get(parent_id)
    if (branch) this.#branches.set(parent_id, { ...branch, ids: branch.ids.filter((one) => one !== id) })
  }

  /** @param {string} id */
  #drop(id) {
    const node = this.#nodes.get(id)
    for (const below of this.#branches.get(id)?.ids ?? []) this.#drop(below)
    this.#branches.delete(id)
    this.#open.delete(id)
    this.#nodes.delete(id)
    if (node) this.#takeOut(id, node.parent_id)
    this.#changed()
  }

  /**
   * @param {string | null} id
   * @param {Branch} branch
   */
  #put(id, branch) {
    this.#branches.set(id, branch)
    this.#changed()
  }

  /** @param {string[]} ids */
  #sorted(ids) {
    return ids.toSorted((one, other) => compare(this.#nodes.get(one), this.#nodes.get(other)))
  }

  /**
   * @param {string | null} parent_id
   * @param {number} level
   * @returns {Row[]}
   */
  #below(parent_id, level) {
    const branch = this.#branches.get(parent_id)
    const line = { id: `${parent_id}`, level, parent_id }
    if (!branch || (branch.state === 'loading' && branch.ids.length === 0)) return [{ kind: 'loading', ...line }]
    if (branch.state === 'failed' && branch.ids.length === 0) return [{ kind: 'failed', ...line }]
    if (branch.ids.length === 0) return [{ kind: 'empty', ...line }]
    /** @type {Row[]} */
    const rows = []
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

  #changed() {
    this.#rows = undefined
    this.version.value++
  }
}

/**
 * @param {TreeNode | undefined} one
 * @param {TreeNode | undefined} other
 */
function compare(one, other) {
  if (!one || !other) return 0
  const a = folded(one.name)
  const b = folded(other.name)
  if (a !== b) return a < b ? -1 : 1
  return one._id < other._id ? -1 : 1
}

/**
 * The name without case and accents.
 *
 * @param {string} name
 */
export function folded(name) {
  return name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

/**
 * @param {Record<string, any>} from
 * @param {object} names
 */
function pick(from, names) {
  return Object.fromEntries(Object.keys(names).map((name) => [name, from[name]]))
}
