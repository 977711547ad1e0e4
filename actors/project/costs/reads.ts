/** The rates and the budget of marketing, as turns read them. */
import { readMarketingSpending } from '../../../storage/mod.ts'
import { RateTable, readRateTable, toMillionths } from '../../costs/mod.ts'
import { Memory } from '../turn/memory.ts'
import type { ReadKind } from '../turn/records.ts'
import { firstDayReserved, MarketingBudget, monthOf } from './marketing_budget.ts'

export const rateReads: ReadKind<object, { table: RateTable }> = {
  wanted: () => ({}),
  found: () => ({ table: new RateTable([]) }),
  async read(found, _wanted, { database }) {
    found.table = await readRateTable(database)
  },
}

/** The budget of a project since a turn has needed it. Every later turn keeps it up to date. */
export const knownBudget = new Memory<{ budget: MarketingBudget | undefined }>(() => ({ budget: undefined }))

export const budgetReads: ReadKind<object, object> = {
  wanted: () => ({}),
  found: () => ({}),
  async read(_found, _wanted, { database, state, now }) {
    const memory = knownBudget.of(state)
    if (memory.budget) return
    const month = monthOf(now)
    const since = { month: new Date(`${month}-01T00:00:00Z`), accepted_since: new Date(firstDayReserved(now)) }
    const { spent, reserved } = await readMarketingSpending(database, state.project_id, since)
    const by_day = new Map(reserved.map(({ day, amount }) => [day, toMillionths(amount)]))
    memory.budget = new MarketingBudget(month, toMillionths(spent), by_day)
  },
}
