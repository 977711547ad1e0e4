import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

export type EditMode = 'free' | 'assisted'

/** A saved content of a block. Versions are never changed or deleted. */
export const BlockVersion = defineEntity({
  name: 'BlockVersion',
  tableName: 'block_version',
  properties: {
    _id: p.text().primary(),
    project_id: p.text(),
    block_id: p.text(),
    edit_mode: p.text().$type<EditMode>(),
    /** The text as it was sent; null unless `free`. */
    content: p.text().nullable(),
    /** The structured content; null unless `assisted`. */
    payload: p.json<Record<string, unknown>>().columnType('json').nullable(),
    created_at: p.datetime(3),
  },
})

export type BlockVersion = InferEntity<typeof BlockVersion>
