/** The broadcasts of a project as the console shows them: a list, or one of them. No DOM. */

import { signal } from '@preact/signals'
import type { Project } from '../data/project.ts'
import type { ProjectEvent } from '../records/live.ts'
import { BroadcastDetail } from './broadcast_detail.ts'
import { BroadcastList } from './broadcast_list.ts'
import { BroadcastsApi } from './broadcasts_api.ts'
import type { BroadcastsPlace } from './places.ts'
import { Records } from './records.ts'

export class Broadcasts {
  list: BroadcastList | null = null
  detail: BroadcastDetail | null = null
  /** Grows with each change of the list, of the broadcast or of what they show. */
  version = signal(0)
  #project
  #api
  #records = new Records()

  #isLive

  /** `isLive` tells whether changes arrive as they happen. */
  constructor(project: Pick<Project, 'id' | 'api'>, isLive: () => boolean = () => true) {
    this.#project = project
    this.#isLive = isLive
    this.#api = new BroadcastsApi(project.api)
  }

  /** Shows a place. Content that is already there stays. */
  show(place: BroadcastsPlace) {
    const common = {
      api: this.#api,
      records: this.#records,
      project_id: this.#project.id,
      changed: () => this.#changed(),
    }
    if (this.detail && (place.page !== 'one' || this.detail.id !== place.id)) this.#leaveDetail()
    if (place.page === 'list' && !isSame(this.list?.filter, place.filter)) {
      this.list = new BroadcastList({ ...common, filter: place.filter })
      void this.list.read()
    }
    if (place.page === 'one') {
      if (this.detail) void this.detail.recipients.show(place.recipients)
      else {
        this.detail = new BroadcastDetail({
          ...common,
          id: place.id,
          recipients: place.recipients,
          isLive: this.#isLive,
        })
        void this.detail.read()
      }
    }
  }

  hear(events: readonly ProjectEvent[]) {
    for (const { type, data } of events) {
      if (type !== 'broadcast.progress') continue
      const record = this.#records.keep(data)
      this.list?.hear(record)
      this.detail?.hear(record)
    }
    this.#changed()
  }

  read() {
    void this.list?.read()
    void this.detail?.read()
  }

  poll(is_live: boolean) {
    if (!is_live) return this.read()
    if (this.list?.is_stale) void this.list.read()
    if (this.detail?.is_stale) void this.detail.read()
  }

  close() {
    this.#leaveDetail()
    this.list = null
  }

  #leaveDetail() {
    this.detail?.close()
    this.detail = null
  }

  #changed() {
    this.version.value = this.version.peek() + 1
  }
}

function isSame(one: unknown, other: unknown) {
  return JSON.stringify(one) === JSON.stringify(other)
}
