/** The nodes in a folder of the knowledge, read page by page. No DOM. */

import { signal } from '@preact/signals'
import type { ProjectApi } from '../../data/project_api.ts'
import type { TreeNode } from '../../records/knowledge.ts'

const PAGE = 200

export class FolderNodes {
  shown = signal<{ nodes: TreeNode[]; cursor: string | null; state: 'loading' | 'ready' | 'failed' }>({
    nodes: [],
    cursor: null,
    state: 'loading',
  })
  #api
  #parent_id

  /** `parent_id`: null for the top. */
  constructor(api: Pick<ProjectApi, 'get'>, parent_id: string | null) {
    this.#api = api
    this.#parent_id = parent_id
  }

  /** Reads the next page, at first the first one. */
  async more() {
    const { nodes, cursor } = this.shown.peek()
    this.shown.value = { nodes, cursor, state: 'loading' }
    try {
      const page = await this.#api.get('knowledge/tree', {
        parent_id: this.#parent_id,
        depth: 1,
        limit: PAGE,
        cursor: cursor ?? undefined,
      })
      this.shown.value = { nodes: [...nodes, ...page.data], cursor: page.next_cursor, state: 'ready' }
    } catch {
      this.shown.value = { nodes, cursor, state: 'failed' }
    }
  }
}
