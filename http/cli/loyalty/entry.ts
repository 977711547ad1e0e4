/** Movements as the command line shows them. */
import type { OperatorOptions } from '../connection/connection.ts'
import { recordPath } from '../records/resource.ts'

export type Options = OperatorOptions & { json?: boolean }

export function ledgerPath(membership_id: string): string {
  return `${recordPath({ name: 'memberships' }, membership_id)}/ledger`
}

/** With its sign. */
export function signed(amount: number): string {
  return amount > 0 ? `+${amount}` : String(amount)
}
