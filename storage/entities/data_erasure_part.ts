import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

export type ErasurePartKind = 'contact' | 'customer' | 'ticket' | 'identity' | 'media'

/** One value that a running erasure looks for. Deleted when the erasure ends. */
export const DataErasurePart = defineEntity({
  name: 'DataErasurePart',
  tableName: 'data_erasure_part',
  properties: {
    erasure_id: p.text().primary(),
    kind: p.text().$type<ErasurePartKind>().primary(),
    /** An id, or for `identity` a phone, an address or an id within a channel. */
    value: p.text().primary(),
    project_id: p.text().nullable(),
  },
})

export type DataErasurePart = InferEntity<typeof DataErasurePart>
