/** Announces to all nodes that a customer was created, changed or deleted: consoles that show it read it again. */
import type { Runtime } from '../../../runtime/mod.ts'

/** The subject; the message is a `CustomerChanged` as JSON. */
export const CUSTOMER_CHANGED = 'console.customer_changed'

export type CustomerChanged = { company_id: string; _id: string }

/** A console that misses the announcement sees the change with its next reading. */
export function sayCustomerChanged(runtime: Runtime, { company_id, _id }: CustomerChanged): void {
  runtime.bus.publish(CUSTOMER_CHANGED, JSON.stringify({ company_id, _id }))
}
