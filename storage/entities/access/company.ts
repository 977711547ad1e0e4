import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A tenant: the owner of projects, users and contacts. */
export const Company = defineEntity({
  name: 'Company',
  tableName: 'company',
  properties: {
    _id: p.text().primary(),
    name: p.text(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type Company = InferEntity<typeof Company>
