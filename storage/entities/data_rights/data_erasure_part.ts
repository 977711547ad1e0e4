import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

export type ErasurePartKind =
  | 'contact'
  | 'customer'
  | 'ticket'
  | 'draft'
  | 'notification'
  | 'record'
  | 'identity'
  | 'media'
  | 'event'
  | 'address'

/** One value that a running erasure looks for. Deleted when the erasure ends. */
export const DataErasurePart = defineEntity({
  name: 'DataErasurePart',
  tableName: 'data_erasure_part',
  properties: {
    erasure_id: p.text().primary(),
    kind: p.text().$type<ErasurePartKind>().primary(),
    /**
     * An id, for `draft` that of its place; for `identity` a phone, an e-mail address or an id within a channel; for
     * `address` that of an actor.
     */
    value: p.text().primary(),
    project_id: p.text().nullable(),
    /** Phone, address and ids within channels of a contact. */
    identities: p.json<string[]>().columnType('json').nullable(),
    /** Time at which the project forgot the contact. The identities stand for a new contact from then on. */
    forgotten_at: p.datetime(3).nullable(),
  },
})

export type DataErasurePart = InferEntity<typeof DataErasurePart>
