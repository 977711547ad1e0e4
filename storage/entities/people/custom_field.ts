import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { FieldType } from '../tickets/crm_event_type.ts'

export type CustomFieldOwner = 'contact' | 'ticket' | 'customer'

/** A custom field that a company defined for one kind of record. */
export const CustomField = defineEntity({
  name: 'CustomField',
  tableName: 'custom_field',
  properties: {
    _id: p.text().primary(),
    company_id: p.text(),
    owner: p.text().$type<CustomFieldOwner>(),
    key: p.text(),
    name: p.text(),
    type: p.text().$type<FieldType>(),
    /** The allowed values, where it is a choice of texts. */
    options: p.array<string>().columnType('text[]').nullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type CustomField = InferEntity<typeof CustomField>
