/** How many tickets each view of the inbox has, and how many of them are unread. It follows events in all sections. No DOM. */

import { computed, signal } from '@preact/signals'
import type { Project } from '../data/project.ts'
import type { InboxCounts } from '../records/inbox.ts'
import type { ProjectEvent } from '../records/live.ts'
import { Counting } from './counting.ts'

/** Events after which the counts of the views may be others. */
export const COUNTED = /^(?:ticket|message|inbox|snooze|contact\.deleted)/

export class Counts {
  value = signal<InboxCounts | null>(null)
  /** Unread tickets that concern the agent: the own ones, and those that nobody has. */
  unread = computed(() => (this.value.value?.mine.unread ?? 0) + (this.value.value?.unassigned.unread ?? 0))
  #counting

  constructor({ api }: Pick<Project, 'api'>) {
    this.#counting = new Counting(async () => {
      this.value.value = await api.get('inbox/counts')
    })
    this.read()
  }

  hear(events: readonly ProjectEvent[]) {
    if (events.some(({ type }) => COUNTED.test(type))) this.#counting.soon()
  }

  read() {
    this.#counting.now()
  }

  poll(is_live: boolean) {
    if (!is_live) this.read()
  }

  close() {
    this.#counting.close()
  }
}
