/** How many tickets each view of the inbox has, and how many of them are unread. It follows events in all sections. No DOM. */
import { computed, signal } from '@preact/signals'
import { Counting } from './counting.js'

/** @typedef {import('../../page_types/inbox.ts').InboxCounts} InboxCounts */

/** Events after which the counts of the views may be others. */
export const COUNTED = /^(?:ticket|message|inbox|snooze|contact\.deleted)/

export class Counts {
  value = signal(/** @type {InboxCounts | null} */ (null))
  /** Unread tickets that concern the agent: the own ones, and those that nobody has. */
  unread = computed(() => (this.value.value?.mine.unread ?? 0) + (this.value.value?.unassigned.unread ?? 0))
  #counting

  /** @param {Pick<import('../data/project.js').Project, 'api'>} project */
  constructor({ api }) {
    this.#counting = new Counting(async () => {
      this.value.value = await api.get('inbox/counts')
    })
    this.read()
  }

  /** @param {readonly import('../../page_types/live.ts').ProjectEvent[]} events */
  hear(events) {
    if (events.some(({ type }) => COUNTED.test(type))) this.#counting.soon()
  }

  read() {
    this.#counting.now()
  }

  /** @param {boolean} is_live */
  poll(is_live) {
    if (!is_live) this.read()
  }

  close() {
    this.#counting.close()
  }
}
