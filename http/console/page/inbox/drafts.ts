/** The agent's drafts of a project by ticket, for the rows of the list, live. No DOM. */

import { type Signal, signal } from '@preact/signals'
import type { Project } from '../data/project.ts'
import type { ListedDraft } from '../records/inbox_records.ts'
import type { ProjectEvent } from '../records/live.ts'

const PREVIEW = 200

export class Drafts {
  /** The text of the draft of each ticket; replies before notes. */
  texts: Signal<ReadonlyMap<string, string>> = signal(new Map())
  /** Keys are ticket and kind. */
  #drafts = new Map<string, { version: number; content: string }>()
  #api

  constructor({ api }: Pick<Project, 'api'>) {
    this.#api = api
    void this.read()
  }

  async read() {
    try {
      const { data }: { data: ListedDraft[] } = await this.#api.get('inbox/drafts')
      this.#drafts = new Map(
        data.map(({ ticket_id, kind, version, content }) => [`${ticket_id} ${kind}`, { version, content }]),
      )
      this.#show()
    } catch {
      // Rows say nothing of drafts then.
    }
  }

  hear(events: readonly ProjectEvent[]) {
    let is_changed = false
    for (const { type, data } of events) {
      if (type !== 'draft.saved' && type !== 'draft.deleted') continue
      const { ticket_id, kind, version } = data
      const key = `${ticket_id} ${kind}`
      if (version <= (this.#drafts.get(key)?.version ?? 0)) continue
      const content = type === 'draft.saved' ? data.content.slice(0, PREVIEW) || 'Files' : ''
      this.#drafts.set(key, { version, content })
      is_changed = true
    }
    if (is_changed) this.#show()
  }

  #show() {
    const texts = new Map()
    for (const kind of ['note', 'reply']) {
      for (const [key, { content }] of this.#drafts) {
        const [ticket_id, of] = key.split(' ')
        if (of === kind && content !== '') texts.set(ticket_id, content)
      }
    }
    this.texts.value = texts
  }
}
