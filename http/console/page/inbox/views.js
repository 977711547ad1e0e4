/** Saved views of the inbox: shared ones and the agent's own, live. No DOM. */
import { signal } from '@preact/signals'
import { Counting } from './counting.js'
import { COUNTED } from './counts.js'

/** @typedef {import('../../page_types/inbox_records.ts').SavedView} StoredView */
/** @typedef {import('../../page_types/inbox.ts').InboxFilter} InboxFilter */
/** A view with its filter as the list takes it. @typedef {Omit<StoredView, 'filter'> & { filter: InboxFilter }} SavedView */

export class SavedViews {
  /** Ordered by position; undefined until they are read. @type {import('@preact/signals').Signal<readonly SavedView[] | undefined>} */
  list = signal(undefined)
  /**
   * Counts by the name of the view in the list, `view-…`. Views that the server does not count are missing.
   *
   * @type {import('@preact/signals').Signal<Record<string, import('../../page_types/inbox.ts').InboxCount>>}
   */
  counts = signal({})
  #api
  #counting = new Counting(() => this.#count())

  /** @param {Pick<import('../data/project.js').Project, 'api'>} project */
  constructor({ api }) {
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

  /** @param {readonly import('../../page_types/live.ts').ProjectEvent[]} events */
  hear(events) {
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
    /** @type {{ _id: string, tickets: number | null, unread: number | null }[]} */
    const counted = data
    this.counts.value = Object.fromEntries(
      counted.flatMap(({ _id, tickets, unread }) =>
        tickets === null || unread === null ? [] : [[`view-${_id}`, { tickets, unread }]],
      ),
    )
  }
}

/**
 * The parameters of a request are texts.
 *
 * @param {StoredView} view
 * @returns {SavedView}
 */
function withTexts(view) {
  return {
    ...view,
    filter: Object.fromEntries(Object.entries(view.filter).map(([name, value]) => [name, String(value)])),
  }
}
