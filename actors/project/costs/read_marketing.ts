/** The cost of a project's marketing in the present month, read from the database: the same sums as those of the cap. */
import {
  type Database,
  findMarketingCap,
  findRateCurrency,
  newDate,
  readMarketingSpending,
} from '../../../storage/mod.ts'
import { fromMillionths, toMillionths } from '../../costs/mod.ts'
import { firstDayReserved, monthOf, nextMonth } from './marketing_budget.ts'

export async function readMarketing(database: Database, project_id: string) {
  const now = newDate()
  const month = monthOf(now)
  const since = { month: new Date(`${month}-01T00:00:00Z`), accepted_since: new Date(firstDayReserved(now)) }
  const cap = await findMarketingCap(database, project_id)
  const currency = cap?.currency ?? (await findRateCurrency(database))
  const { spent, reserved } = await readMarketingSpending(database, project_id, since)
  const waiting = reserved.reduce((sum, { amount }) => sum + toMillionths(amount), 0)
  return {
    month,
    currency,
    cap: cap?.amount ?? null,
    spent: Number(spent),
    reserved: fromMillionths(waiting),
    resets_at: nextMonth(now).toISOString(),
  }
}
