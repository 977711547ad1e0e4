/** The deliveries of a subscription that match a filter, newest first, page by page. No DOM. */

import { type Signal, signal } from '@preact/signals'
import { faultOf } from '../data/errors.ts'
import type { Fault } from '../records/fault.ts'
import type { Delivery, DeliveryFilter } from '../records/webhook.ts'
import type { WebhooksApi } from './webhooks_api.ts'

const PAGE = 50
/** Rows that are read again with each refreshing; older ones stay as they are. */
const MAX_REFRESHED = 200

export class Deliveries {
  readonly filter: DeliveryFilter

  /** `fault` is that of the last reading, `is_loading` that of older ones. */
  state: Signal<{
    rows: Delivery[] | undefined
    has_more: boolean
    is_loading: boolean
    fault: Fault | null
  }> = signal({ rows: undefined, has_more: false, is_loading: false, fault: null })
  #api
  #id
  #cursor: string | null = null
  #reads = 0

  constructor(api: Pick<WebhooksApi, 'deliveries'>, id: string, filter: DeliveryFilter) {
    this.#api = api
    this.#id = id
    this.filter = filter
  }

  /** Reads the newest rows again. */
  async read() {
    const read = ++this.#reads
    const { rows: present = [] } = this.state.peek()
    const limit = Math.min(MAX_REFRESHED, Math.max(PAGE, present.length))
    try {
      const { data, next_cursor } = await this.#api.deliveries(this.#id, { ...this.filter, limit })
      if (read !== this.#reads) return
      const older = next_cursor === null ? [] : present.filter(({ id }) => id < next_cursor)
      // A filter may leave pages empty: then no row shows how far older ones were read.
      const is_further = next_cursor !== null && this.#cursor !== null && this.#cursor < next_cursor
      if (older.length === 0 && !is_further) this.#cursor = next_cursor
      this.state.value = { rows: [...data, ...older], has_more: this.#cursor !== null, is_loading: false, fault: null }
    } catch (error) {
      if (read === this.#reads) this.state.value = { ...this.state.peek(), is_loading: false, fault: faultOf(error) }
    }
  }

  async readMore() {
    const state = this.state.peek()
    if (this.#cursor === null || state.is_loading) return
    const read = ++this.#reads
    this.state.value = { ...state, is_loading: true, fault: null }
    try {
      const query = { ...this.filter, limit: PAGE, cursor: this.#cursor }
      const { data, next_cursor } = await this.#api.deliveries(this.#id, query)
      if (read !== this.#reads) return
      this.#cursor = next_cursor
      const { rows = [] } = this.state.peek()
      this.state.value = { rows: [...rows, ...data], has_more: next_cursor !== null, is_loading: false, fault: null }
    } catch (error) {
      if (read === this.#reads) this.state.value = { ...this.state.peek(), is_loading: false, fault: faultOf(error) }
    }
  }
}
