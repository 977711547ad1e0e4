import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** Something that happened in a project and that subscriptions may be told about. */
export const Event = defineEntity({
  name: 'Event',
  tableName: 'event',
  properties: {
    id: p.text().primary(),
    project_id: p.text(),
    type: p.text(),
    data: p.json<Record<string, unknown>>().columnType('json'),
    created_at: p.datetime(3),
  },
})

export type Event = InferEntity<typeof Event>
