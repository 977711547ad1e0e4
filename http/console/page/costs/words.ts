/** Names for groups of costs. Months and days are those of UTC, as the sums are. No DOM. */

import { nameOfType } from '../crm/preview.ts'
import type { Costs, GroupedCost } from '../records/costs.ts'
import { costText } from '../ui/format/figures.ts'
import { language, number } from '../ui/format/format.ts'
import type { CostGroup } from './places.ts'

const UTC = { timeZone: 'UTC' } as const
const month_name = new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric', ...UTC })
const day_name = new Intl.DateTimeFormat(language, { weekday: 'short', day: 'numeric', month: 'short', ...UTC })
const moment_name = new Intl.DateTimeFormat(language, { dateStyle: 'long', ...UTC })

export const GROUP_WORDS: Record<CostGroup, string> = {
  day: 'Day',
  category: 'Category',
  channel: 'Channel',
  broadcast: 'Broadcast',
}

/** `November 2026`. */
export function monthText(month: string) {
  return month_name.format(new Date(`${month}-01T00:00:00Z`))
}

/** `1 December 2026`. */
export function dayText(iso: string) {
  return moment_name.format(new Date(iso))
}

export function groupText({ group, label }: GroupedCost, by: CostGroup) {
  if (group === null) return 'No broadcast'
  if (by === 'day') return day_name.format(new Date(`${group}T00:00:00Z`))
  if (by === 'category') return nameOfType(group)
  return label ?? group
}

export function amountOf({ amount, currency }: { amount: number | null; currency: string | null }) {
  return amount === null || currency === null ? 'No rate known' : costText({ amount, currency })
}

/** The messages that no sum of money contains. Undefined when there are none. */
export function unpricedText(totals: Costs['totals']) {
  const unpriced = totals.find(({ amount }) => amount === null)
  if (!unpriced) return undefined
  const { message_count: count } = unpriced
  if (count === 1) return '1 message has no price: no rate was known when it was delivered. The amounts are without it.'
  return `${number(count)} messages have no price: no rate was known when they were delivered. The amounts are without them.`
}
