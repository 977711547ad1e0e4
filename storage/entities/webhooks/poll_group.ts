import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/**
 * Polled subscriptions that got the same events: they share one delivery of each, whose `subscription_id` is the id of the
 * group. A project with a thousand receivers that poll stores one row for an event.
 */
export const PollGroup = defineEntity({
  name: 'PollGroup',
  tableName: 'poll_group',
  properties: {
    /** Made of the subscriptions: the same ones are the same group. */
    id: p.text().primary(),
    project_id: p.text(),
    subscription_ids: p.array<string>().columnType('text[]'),
    /** At most an hour before its last delivery. */
    used_at: p.datetime(3),
  },
})

export type PollGroup = InferEntity<typeof PollGroup>
