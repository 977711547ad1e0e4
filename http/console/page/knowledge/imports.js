/** The imports of a project, the latest first, page by page. No DOM. */
import { batch, signal } from '@preact/signals'
import { faultOf } from '../data/errors.js'

/** @typedef {import('../../page_types/knowledge.ts').KnowledgeImport} KnowledgeImport */
/** @typedef {import('../../page_types/fault.ts').Fault} Fault */

const PAGE = 50
/** Rows that are read again together. */
const MAX_AGAIN = 200

export class Imports {
  /** @type {import('@preact/signals').Signal<'loading' | 'ready' | 'failed'>} */
  state = signal('loading')
  fault = signal(/** @type {Fault | null} */ (null))
  /** @type {import('@preact/signals').Signal<readonly KnowledgeImport[]>} */
  rows = signal([])
  cursor = signal(/** @type {string | null} */ (null))
  is_reading_more = signal(false)
  /** @type {string | undefined} */
  status
  #api
  #reads = 0

  /** @param {Pick<import('../data/project_api.js').ProjectApi, 'get' | 'post'>} api */
  constructor(api) {
    this.#api = api
  }

  /** @param {string | undefined} status */
  show(status) {
    if (status === this.status && this.state.value === 'ready') return this.read()
    this.status = status
    batch(() => {
      this.state.value = 'loading'
      this.rows.value = []
      this.cursor.value = null
    })
    return this.read()
  }

  /** Reads what is shown again; it stays until the answer is there. */
  async read() {
    const read = ++this.#reads
    const limit = Math.min(MAX_AGAIN, Math.max(PAGE, this.rows.value.length))
    try {
      const { data, next_cursor } = await this.#page({ limit })
      if (read !== this.#reads) return
      batch(() => {
        this.rows.value = data
        this.cursor.value = next_cursor
        this.fault.value = null
        this.state.value = 'ready'
      })
    } catch (error) {
      if (read !== this.#reads || this.state.value === 'ready') return
      this.fault.value = faultOf(error)
      this.state.value = 'failed'
    }
  }

  async readMore() {
    const { value: cursor } = this.cursor
    if (cursor === null || this.is_reading_more.value) return
    const read = this.#reads
    this.is_reading_more.value = true
    try {
      const { data, next_cursor } = await this.#page({ limit: PAGE, cursor })
      if (read !== this.#reads) return
      const known = new Set(this.rows.value.map(({ node_id }) => node_id))
      batch(() => {
        this.rows.value = [...this.rows.value, ...data.filter(({ node_id }) => !known.has(node_id))]
        this.cursor.value = next_cursor
      })
    } finally {
      this.is_reading_more.value = false
    }
  }

  /**
   * Imports a document once more. A refusal is thrown.
   *
   * @param {string} node_id
   */
  async again(node_id) {
    await this.#api.post(`knowledge/nodes/${node_id}/import`)
    await this.read()
  }

  get isBusy() {
    return this.rows.value.some(({ status }) => status === 'waiting' || status === 'running')
  }

  /**
   * @param {{ limit: number, cursor?: string }} query
   * @returns {Promise<{ data: KnowledgeImport[], next_cursor: string | null }>}
   */
  #page(query) {
    return this.#api.get('knowledge/imports', { ...query, status: this.status })
  }
}
