import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** An event of a contact, on the timeline of the ticket that was open then. Immutable. */
export const CrmEvent = defineEntity({
  name: 'CrmEvent',
  tableName: 'crm_event',
  properties: {
    /** First in the key, so that the newest events of a project are stored together. */
    project_id: p.text().primary(),
    _id: p.text().primary(),
    company_id: p.text(),
    event_type: p.text(),
    data: p.json<Record<string, unknown>>().columnType('json'),
    ticket_id: p.text(),
    chat_user: p.text(),
    /** Unique within the company. */
    idempotency_key: p.text().nullable(),
    created_at: p.datetime(3),
  },
})

export type CrmEvent = InferEntity<typeof CrmEvent>
