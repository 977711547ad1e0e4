/** The imports of a project, the latest first, page by page. No DOM. */

import { batch, type Signal, signal } from '@preact/signals'
import { faultOf } from '../../data/errors.ts'
import type { ProjectApi } from '../../data/project_api.ts'
import type { Fault } from '../../records/fault.ts'
import type { KnowledgeImport } from '../../records/knowledge.ts'

const PAGE = 50
/** Rows that are read again together. */
const MAX_AGAIN = 200

export class Imports {
  state: Signal<'loading' | 'ready' | 'failed'> = signal('loading')
  fault = signal<Fault | null>(null)
  rows: Signal<readonly KnowledgeImport[]> = signal([])
  cursor = signal<string | null>(null)
  is_reading_more = signal(false)
  status: string | undefined
  #api
  #reads = 0

  constructor(api: Pick<ProjectApi, 'get' | 'post'>) {
    this.#api = api
  }

  show(status: string | undefined) {
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

  /** Imports a document once more. A refusal is thrown. */
  async again(node_id: string) {
    await this.#api.post(`knowledge/nodes/${node_id}/import`)
    await this.read()
  }

  get isBusy() {
    return this.rows.value.some(({ status }) => status === 'waiting' || status === 'running')
  }

  #page(query: { limit: number; cursor?: string }): Promise<{ data: KnowledgeImport[]; next_cursor: string | null }> {
    return this.#api.get('knowledge/imports', { ...query, status: this.status })
  }
}
