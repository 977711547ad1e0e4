/**
 * Canned responses of a project: the shared ones and the agent's own. The first page is kept here, and live; when there are
 * more, the server searches. No DOM.
 */

import { signal } from '@preact/signals'
import type { Project } from '../../../data/project.ts'
import type { CannedResponse } from '../../../records/inbox_records.ts'
import type { ProjectEvent } from '../../../records/live.ts'

const PAGE = 200
const MAX_SHOWN = 8

export class CannedResponses {
  list = signal<readonly CannedResponse[]>([])
  state = signal<'unread' | 'loading' | 'ready'>('unread')
  #api
  #has_more = false

  constructor({ api }: Pick<Project, 'api'>) {
    this.#api = api
  }

  async load() {
    if (this.state.peek() === 'unread') this.state.value = 'loading'
    try {
      const { data, next_cursor } = await this.#api.get('canned_responses', { limit: PAGE })
      this.#has_more = next_cursor !== null
      this.list.value = data
      this.state.value = 'ready'
    } catch {
      if (this.state.peek() === 'loading') this.state.value = 'unread'
    }
  }

  /** Those for a query: whose shortcut begins with it, then those that contain it. */
  async find(query: string): Promise<CannedResponse[]> {
    if (this.state.peek() === 'unread') await this.load()
    if (this.#has_more && query !== '') {
      const { data } = await this.#api.get('canned_responses', { search: query, limit: MAX_SHOWN })
      return data
    }
    return matching(this.list.peek(), query).slice(0, MAX_SHOWN)
  }

  hear(events: readonly ProjectEvent[]) {
    for (const { type, data } of events) {
      if (type !== 'canned_response.changed' || this.state.peek() !== 'ready') continue
      const { _id, canned_response } = data
      const others = this.list.peek().filter((one) => one._id !== _id)
      this.list.value = canned_response ? [...others, canned_response].sort(byShortcut) : others
    }
  }

  /** Events may be missing. */
  read() {
    if (this.state.peek() !== 'unread') void this.load()
  }
}

export function matching(list: readonly CannedResponse[], query: string) {
  const needle = query.toLowerCase()
  const begins = list.filter(({ shortcut }) => shortcut.startsWith(needle))
  const contains = list.filter(({ shortcut, title, content }) => {
    const text = `${shortcut}\n${title ?? ''}\n${content}`.toLowerCase()
    return !shortcut.startsWith(needle) && text.includes(needle)
  })
  return [...begins, ...contains]
}

function byShortcut(one: CannedResponse, other: CannedResponse) {
  return one.shortcut.localeCompare(other.shortcut)
}
