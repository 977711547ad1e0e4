/**
 * Tells consoles that a customer has changed. Customers belong to companies and change outside of the turns of projects, so
 * no feed of a project reports them.
 */
import type { Bus } from '../../../runtime/mod.ts'
import { CUSTOMER_CHANGED, type CustomerChanged } from '../../server/changes/customer_changed.ts'
import type { FanOut } from './fan_out.ts'

export class CustomerNews {
  readonly #fan_out: FanOut
  /** The companies of the projects that this node's consoles watch. */
  readonly #companies = new Map<string, string>()
  readonly #listening: Promise<() => void>

  constructor(bus: Bus, fan_out: FanOut) {
    this.#fan_out = fan_out
    this.#listening = bus.listen(
      CUSTOMER_CHANGED,
      (text) => this.#hear(JSON.parse(text) as CustomerChanged),
      // The feeds of the projects notice the same gap, and consoles read again.
      () => {},
    )
  }

  watch(project_id: string, company_id: string): void {
    this.#companies.set(project_id, company_id)
  }

  /** A socket watches the project no more. */
  leave(project_id: string): void {
    if (this.#fan_out.watchers(project_id) === 0) this.#companies.delete(project_id)
  }

  close(): void {
    void this.#listening.then((stop) => stop())
  }

  #hear({ company_id, _id }: CustomerChanged): void {
    for (const [project_id, company] of this.#companies) {
      if (company === company_id) this.#fan_out.tellNotice(project_id, 'customer.changed', { _id })
    }
  }
}
