import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** One of whom a template is sent to. */
export type SliceRecipient = {
  phone: string
  /** Those that a template can be filled in with. */
  variables?: Record<string, string>
  /** Why there will be no message, where that was clear from the request. */
  error?: { code: string; message: string }
}

/** Recipients of a broadcast that were not taken up yet, `SLICE` in a row; the row goes when all of them were. */
export const BroadcastSlice = defineEntity({
  name: 'BroadcastSlice',
  tableName: 'broadcast_slice',
  properties: {
    broadcast_id: p.text().primary(),
    /** Index of the first of them. */
    first: p.integer().primary(),
    size: p.integer(),
    recipients: p.json<SliceRecipient[]>().columnType('json'),
  },
})

export type BroadcastSlice = InferEntity<typeof BroadcastSlice>
