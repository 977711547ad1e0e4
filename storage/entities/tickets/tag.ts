import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A label for tickets of a project. */
export const Tag = defineEntity({
  name: 'Tag',
  tableName: 'tag',
  properties: {
    _id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    name: p.text(),
    color: p.text().nullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type Tag = InferEntity<typeof Tag>
