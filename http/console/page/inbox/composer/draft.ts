/**
 * A draft as the server keeps it, of one ticket and one kind, for the composer of this tab. No DOM.
 *
 *  D1 One save is under way at a time; what is written meanwhile is saved after it.
 *  D2 A save names the version that is known plus one. When another tab was faster, the text that was typed here last is
 *     saved over it, with a later version: it belongs to the same agent, who is typing here.
 *  D3 What another tab saved is shown here unless something typed here is not saved yet.
 */

import type { ProjectApi } from '../../data/project_api.ts'
import type { Draft, DraftKind } from '../../records/inbox_records.ts'
import type { ProjectEvent } from '../../records/live.ts'

export type DraftContent = Pick<Draft, 'content' | 'attachments' | 'context'>

/** A pause of the typing, and the longest time that something typed is not saved. */
const PAUSE_MS = 350
const MAX_MS = 800
const AGAIN_MS = 5_000

export class DraftKeeper {
  readonly ticket_id: string
  readonly kind: DraftKind

  #api
  #path
  #onContent
  #onSaved
  #version = 0
  /** The content to save. */
  #unsaved: DraftContent | undefined
  #unsaved_since = 0
  #is_saving = false
  #heard: { version: number; content: DraftContent } | undefined
  #timer: number | undefined

  /** `onContent` is called with what another tab saved, and with the stored draft after `load`. */
  constructor({
    api,
    ticket_id,
    kind,
    onContent,
    onSaved = () => {},
  }: {
    api: Pick<ProjectApi, 'get' | 'put' | 'delete'>
    ticket_id: string
    kind: DraftKind
    onContent(content: DraftContent): void
    onSaved?(state: 'saving' | 'saved' | 'unsaved'): void
  }) {
    this.#api = api
    this.ticket_id = ticket_id
    this.kind = kind
    this.#path = `inbox/tickets/${ticket_id}/drafts/${kind}`
    this.#onContent = onContent
    this.#onSaved = onSaved
  }

  /** Reads the stored draft. Without an answer, the next save learns its version. */
  async load() {
    try {
      this.#take(await this.#api.get(this.#path))
    } catch {
      // Nothing is lost: the field stays as it is.
    }
  }

  /** Saves soon what was typed. */
  change(content: DraftContent) {
    this.#unsaved_since ||= Date.now()
    this.#unsaved = content
    this.#onSaved('saving')
    this.#later(Math.min(PAUSE_MS, Math.max(0, this.#unsaved_since + MAX_MS - Date.now())))
  }

  /** The draft was sent, or is not wanted any more. */
  clear() {
    this.change({ content: '', attachments: [], context: null })
    this.#later(0)
  }

  /** Saves at once what is not saved. */
  flush() {
    if (this.#unsaved) this.#later(0)
  }

  hear({ type, data }: ProjectEvent) {
    if (type !== 'draft.saved' && type !== 'draft.deleted') return
    const draft = data as Draft
    if (draft.ticket_id !== this.ticket_id || draft.kind !== this.kind) return
    const { content = '', attachments = [], context = null } = draft
    this.#take({ ...draft, content, attachments, context })
  }

  #take({ version, content, attachments, context }: Draft) {
    if (version <= this.#version) return
    this.#version = version
    const heard = { version, content: { content, attachments, context } }
    // While a save is under way, this is its own event or one that comes before or after it.
    if (this.#is_saving) this.#heard = heard
    else if (!this.#unsaved) this.#onContent(heard.content)
  }

  #later(ms: number) {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#save(), ms)
  }

  async #save() {
    const draft = this.#unsaved
    if (!draft || this.#is_saving) return
    this.#is_saving = true
    this.#unsaved = undefined
    this.#unsaved_since = 0
    this.#heard = undefined
    const version = this.#version + 1
    const is_empty = draft.content === '' && draft.attachments.length === 0
    try {
      const stored = is_empty
        ? await this.#api.delete(`${this.#path}?version=${version}`)
        : await this.#api.put(this.#path, { version, ...draft })
      this.#is_saving = false
      this.#version = Math.max(this.#version, stored.version)
      if (!stored.is_saved) this.#unsaved ??= draft
      this.#saved(stored.version)
    } catch {
      this.#is_saving = false
      this.#unsaved ??= draft
      this.#onSaved('unsaved')
      this.#later(AGAIN_MS)
    }
  }

  #saved(version: number) {
    if (this.#unsaved) return this.#later(0)
    if (this.#heard && this.#heard.version > version) this.#onContent(this.#heard.content)
    this.#onSaved('saved')
  }
}
