import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

export type FieldType = 'string' | 'number' | 'boolean' | 'date' | 'string[]'

export type EventField = {
  key: string
  type: FieldType
  required: boolean
  /** The field to which the value is written, too: `ticket.<field>` or `contact.<field>`. */
  target?: string | undefined
}

/** A kind of timeline event of a company. System types are created with the company and cannot be removed. */
export const CrmEventType = defineEntity({
  name: 'CrmEventType',
  tableName: 'event_type',
  properties: {
    _id: p.text().primary(),
    company_id: p.text(),
    key: p.text(),
    name: p.text(),
    is_system: p.boolean(),
    fields: p.json<EventField[]>(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type CrmEventType = InferEntity<typeof CrmEventType>
