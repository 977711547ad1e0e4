/** The rates and the budget of marketing, as turns read them. */
import { readMarketingSpending } from '../../../storage/mod.ts'
import { RateTable, readRateTable, toMillionths } from '../../costs/mod.ts'
import { Memory } from '../turn/memory.ts'
import type { ReadKind } from '../turn/records.ts'
import { firstDayReserved, MarketingBudget, monthOf } from './marketing_budget.ts'

export const rateReads: ReadKind<object, { table: RateTable }> = {
  keys: () => ({}),
  found: () => ({ table: new RateTable([]) }),
  async read(found, _wanted, { database }) {
    found.table = await readRateTable(database)
  },
}

type KnownBudget = {
  budget: MarketingBudget | undefined
  /** Messages were deleted whose prices were reserved: the next turn that needs the budget reads it again. */
  is_outdated: boolean
}

/** The budget of a project since a turn has needed it. Every later turn keeps it up to date. */
export const knownBudget = new Memory<KnownBudget>(() => ({ budget: undefined, is_outdated: false }))

export const budgetReads: ReadKind<object, object> = {
  keys: () => ({}),
  found: () => ({}),
  async read(_found, _wanted, { database, state, now }) {
    const memory = knownBudget.of(state)
    if (memory.budget && !memory.is_outdated) return
    const month = monthOf(now)
    const since = { month: new Date(`${month}-01T00:00:00Z`), accepted_since: new Date(firstDayReserved(now)) }
    const { spent, reserved } = await readMarketingSpending(database, state.project_id, since)
    const by_day = new Map(reserved.map(({ day, amount }) => [day, toMillionths(amount)]))
    memory.is_outdated = false
    memory.budget = new MarketingBudget(month, toMillionths(spent), by_day)
  },
}
