/** Rates of providers, and what messages cost, as the API shows them. */
import * as v from 'valibot'
import { named, timestamp } from '../../schema/mod.ts'

const amount = v.pipe(v.nullable(v.number()), v.description('Null where no rate was known'))
const count = v.pipe(v.number(), v.integer(), v.minValue(0))

const sum = {
  currency: v.pipe(v.nullable(v.string()), v.description('Null for messages for which no rate was known')),
  amount,
  message_count: v.pipe(count, v.description('Delivered messages whose price the provider reported')),
  billable_count: v.pipe(count, v.description('Those that the provider charges')),
}

/** The costs of a period in one currency. */
export const costTotal = named('CostTotal', v.object(sum))

/** The cost of a project's marketing in the present month, against its cap. */
export const marketingSpending = named(
  'MarketingSpending',
  v.object({
    month: v.pipe(v.string(), v.description('The present month (UTC), such as 2026-11')),
    currency: v.pipe(v.nullable(v.string()), v.description('That of the rates; null while none are loaded')),
    cap: v.pipe(v.nullable(v.number()), v.description('The cap on the cost of marketing in a month; null without one')),
    spent: v.pipe(v.number(), v.description('The price of delivered messages')),
    reserved: v.pipe(v.number(), v.description('The price of accepted messages that are not charged yet')),
    resets_at: timestamp,
  }),
)

/** The costs of one group in one currency. */
export const groupedCost = named(
  'GroupedCost',
  v.object({
    group: v.pipe(
      v.nullable(v.string()),
      v.description('A day (UTC), a category, or the id of a record; null for messages of no bulk send'),
    ),
    label: v.pipe(v.nullable(v.string()), v.description('The name of the record; null without one')),
    ...sum,
  }),
)

/** The price of a message of a category to a market, from a day on. */
export const rateRecord = named(
  'Rate',
  v.object({
    market: v.pipe(
      v.string(),
      v.description('A country (`MX`), a region (`Rest of Africa`), `Other`, or the beginning of numbers (`+5255`)'),
    ),
    category: v.string(),
    amount: v.number(),
    currency: v.string(),
    valid_from: v.pipe(v.string(), v.description('The first day; the rate begins at 00:00 UTC')),
    created_at: timestamp,
  }),
)
