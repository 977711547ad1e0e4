import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** Tickets of a bulk action that are not done yet. The row is deleted in the turn that changes them. */
export const BulkActionSlice = defineEntity({
  name: 'BulkActionSlice',
  tableName: 'bulk_action_slice',
  properties: {
    bulk_action_id: p.text().primary(),
    /** Index of the first ticket. */
    first: p.integer().primary(),
    ticket_ids: p.array<string>().columnType('text[]'),
  },
})

export type BulkActionSlice = InferEntity<typeof BulkActionSlice>
