import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** One recipient in a slice. */
export type SliceRecipient = {
  phone: string
  /** Variables of the template. */
  variables?: Record<string, string>
  /** The reason why there will be no message, where the request alone shows it. */
  error?: { code: string; message: string }
}

/** Recipients of a broadcast that were not taken up yet, up to `SLICE` in a row. The row is deleted when all of them were. */
export const BroadcastSlice = defineEntity({
  name: 'BroadcastSlice',
  tableName: 'broadcast_slice',
  properties: {
    broadcast_id: p.text().primary(),
    /** Index of the first recipient. */
    first: p.integer().primary(),
    size: p.integer(),
    recipients: p.json<SliceRecipient[]>().columnType('json'),
  },
})

export type BroadcastSlice = InferEntity<typeof BroadcastSlice>
