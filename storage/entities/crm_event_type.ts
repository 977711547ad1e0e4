import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

export type FieldType = 'string' | 'number' | 'boolean' | 'date' | 'string[]'

export type EventField = {
  key: string
  type: FieldType
  required: boolean
  /** The field that the value is written through to: `ticket.<field>` or `contact.<field>`. */
  target?: string | undefined
}

/** A kind of timeline event of a company. System types come with the company and stay. */
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
