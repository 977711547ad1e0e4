import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** The price of a message of a category to a market, from a day on. All rates have one currency. */
export const Rate = defineEntity({
  name: 'Rate',
  tableName: 'rate',
  properties: {
    /** A country (`MX`), a region of the rate cards (`Rest of Africa`), `Other`, or the beginning of numbers (`+5255`). */
    market: p.text().primary(),
    category: p.text().primary(),
    /** The first day, as YYYY-MM-DD; the rate begins at 00:00 UTC. */
    valid_from: p.text().primary(),
    currency: p.text(),
    amount: p.decimal('number').columnType('numeric'),
    created_at: p.datetime(3),
  },
})

export type Rate = InferEntity<typeof Rate>
