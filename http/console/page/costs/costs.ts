/** The cost of a project's messages in a month, read page by page, and its cap on marketing. No DOM. */

import { signal } from '@preact/signals'
import { faultOf } from '../data/errors.ts'
import type { Project } from '../data/project.ts'
import type { Costs, GroupedCost, MarketingSpending } from '../records/costs.ts'
import type { Fault } from '../records/fault.ts'
import { type CostsPlace, periodOf } from './places.ts'

const PAGE = 100
/** The time between two readings of what is shown. */
const FRESH_MS = 30_000
/** The permission of people who may do what operators may do by the API. */
const OPERATOR = 'console.operator'

export class CostSums {
  costs = signal<Costs | undefined>(undefined)
  /** That of the present month stays while another month is read. */
  marketing = signal<MarketingSpending | null>(null)
  fault = signal<Fault | null>(null)
  is_busy = signal(false)
  /** True for those who may change the cap. */
  readonly may_change: boolean
  readonly project_id: string
  #project
  #place: CostsPlace | undefined
  #reads = 0
  #read_at = 0

  constructor(project: Project) {
    this.#project = project
    this.project_id = project.id
    this.may_change = project.user.permissions.includes(OPERATOR)
  }

  /** The sums of the month by another group stay until the wanted ones are there. */
  show(place: CostsPlace) {
    if (place.month !== this.#place?.month) this.costs.value = undefined
    this.#place = place
    void this.read()
  }

  /** Reads what is shown again: as many rows as there are. */
  async read() {
    const costs = this.costs.peek()
    const rows = costs?.group_by === this.#place?.by ? (costs?.data.length ?? 0) : 0
    await this.#load([], Math.max(1, Math.ceil(rows / PAGE)))
  }

  async more() {
    await this.#load(this.costs.peek()?.data ?? [], 1)
  }

  /** Costs change with statuses, which no event of the project tells: they are read again now and then. */
  poll() {
    if (this.#place && !this.is_busy.peek() && Date.now() - this.#read_at > FRESH_MS) void this.read()
  }

  /** Ends the polling, when the page is left. */
  hide() {
    this.#place = undefined
  }

  /** @param cap null removes it */
  async changeCap(cap: { amount: number; currency: string } | null) {
    const path = `ops/projects/${encodeURIComponent(this.project_id)}`
    await this.#project.console_api.request('PATCH', path, { json: { monthly_marketing_cap: cap } })
    await this.read()
  }

  /** The address of all sums as a file. */
  address({ by, month }: CostsPlace) {
    const query = new URLSearchParams({ group_by: by, ...periodOf(month) })
    return `${this.#project.api.address('messages/costs.csv')}?${query}`
  }

  async #load(known: readonly GroupedCost[], pages: number) {
    const place = this.#place
    if (!place) return
    const read = ++this.#reads
    const { by: group_by, month } = place
    const data = [...known]
    this.is_busy.value = true
    try {
      let page: Costs | undefined
      for (let n = 0; n < pages && (page?.has_more ?? true); n++) {
        const query = { group_by, ...periodOf(month), limit: PAGE, offset: data.length }
        page = await this.#project.api.get<Costs>('messages/costs', query)
        data.push(...page.data)
      }
      if (read !== this.#reads) return
      this.costs.value = { ...page!, data }
      this.marketing.value = page!.marketing
      this.fault.value = null
    } catch (error) {
      if (read === this.#reads) this.fault.value = faultOf(error)
    } finally {
      if (read === this.#reads) {
        this.is_busy.value = false
        this.#read_at = Date.now()
      }
    }
  }
}
