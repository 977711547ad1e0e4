/**
 * Loyalty for operators, and for the programs that run tills and wallets. Changes are commands of the project's actor,
 * the only writer of balances.
 */
import { ledgerRoutes } from './ledger.ts'
import { membershipRoutes } from './memberships.ts'
import { programRoutes } from './programs.ts'

export const loyaltyAdminRoutes = [...programRoutes, ...membershipRoutes, ...ledgerRoutes]
