import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A person as the company knows them, on all their channels. Contacts of all its projects may point to it. */
export const Customer = defineEntity({
  name: 'Customer',
  tableName: 'customer',
  properties: {
    _id: p.text().primary(),
    company_id: p.text(),
    full_name: p.text(),
    email: p.text().nullable(),
    /** E.164, with the leading `+`. */
    phone: p.text().nullable(),
    /** The id in the company's own system. Unique in the company. */
    external_id: p.text().nullable(),
    tags: p.array<string>().columnType('text[]'),
    custom_fields: p.json<Record<string, unknown>>(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type Customer = InferEntity<typeof Customer>
