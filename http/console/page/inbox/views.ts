/** Saved views of the inbox: shared ones and the agent's own, live. No DOM. */

import { type Signal, signal } from '@preact/signals'
import type { Project } from '../data/project.ts'
import type { InboxCount, InboxFilter } from '../records/inbox.ts'
import type { SavedView as StoredView } from '../records/inbox_records.ts'
import type { ProjectEvent } from '../records/live.ts'
import { Counting } from './counting.ts'
import { COUNTED } from './counts.ts'

/** A view with its filter as the list takes it. */
export type SavedView = Omit<StoredView, 'filter'> & { filter: InboxFilter }

export class SavedViews {
  /** Ordered by position; undefined until they are read. */
  list: Signal<readonly SavedView[] | undefined> = signal(undefined)
  /** Counts by the name of the view in the list, `view-…`. Views that the server does not count are missing. */
  counts: Signal<Record<string, InboxCount>> = signal({})
  #api
  #counting = new Counting(() => this.#count())

  constructor({ api }: Pick<Project, 'api'>) {
    this.#api = api
    void this.read()
  }

  async read() {
    try {
      const { data } = await this.#api.get('inbox/views')
      this.list.value = data.map(withTexts)
      this.#countAny()
    } catch {
      // A view whose filter is not known cannot be shown; the others can.
      this.list.value ??= []
    }
  }

  hear(events: readonly ProjectEvent[]) {
    if (this.#has && events.some(({ type }) => COUNTED.test(type))) this.#counting.soon()
    for (const { type, data } of events) {
      if (type !== 'view.changed' || !this.list.peek()) continue
      const others = (this.list.peek() ?? []).filter(({ _id }) => _id !== data._id)
      const next = data.view ? [...others, withTexts(data.view)] : others
      this.list.value = next.sort((one, other) => one.position - other.position || one.name.localeCompare(other.name))
      this.#countAny()
    }
  }

  close() {
    this.#counting.close()
  }

  /** Views may be none, as in most projects: then nothing is asked. */
  get #has() {
    return (this.list.peek()?.length ?? 0) > 0
  }

  #countAny() {
    if (this.#has) this.#counting.now()
  }

  async #count() {
    const { data } = await this.#api.get('inbox/views/counts')
    const counted: { _id: string; tickets: number | null; unread: number | null }[] = data
    this.counts.value = Object.fromEntries(
      counted.flatMap(({ _id, tickets, unread }) =>
        tickets === null || unread === null ? [] : [[`view-${_id}`, { tickets, unread }]],
      ),
    )
  }
}

/** The parameters of a request are texts. */
function withTexts(view: StoredView): SavedView {
  return {
    ...view,
    filter: Object.fromEntries(Object.entries(view.filter).map(([name, value]) => [name, String(value)])),
  }
}
