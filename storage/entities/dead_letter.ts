import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A message between actors that failed at every attempt, kept for operators. */
export const DeadLetter = defineEntity({
  name: 'DeadLetter',
  tableName: 'dead_letter',
  properties: {
    /** Grows in the order in which letters are parked. */
    id: p.bigint('string').primary(),
    partition: p.integer(),
    address: p.text(),
    sender: p.text().nullable(),
    message: p.json<{ type: string }>().columnType('json'),
    error: p.text(),
    /** Time of the database's clock. */
    parked_at: p.datetime().columnType('timestamptz'),
  },
})

export type DeadLetter = InferEntity<typeof DeadLetter>
