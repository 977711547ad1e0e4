import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A file of a person's message that its provider still has. The row ends when the file is stored here. */
export const MediaFetch = defineEntity({
  name: 'MediaFetch',
  tableName: 'media_fetch',
  properties: {
    media_id: p.text().primary(),
    project_id: p.text(),
    channel_id: p.text(),
    /** Facts by which the adapter finds the file. */
    reference: p.json<Record<string, unknown>>().columnType('json'),
    attempts: p.integer(),
    /** Time of the next attempt. While a node works on it, the time at which others may. */
    next_at: p.datetime(3),
    error: p.text().nullable(),
    failed_at: p.datetime(3).nullable(),
    created_at: p.datetime(3),
  },
})

export type MediaFetch = InferEntity<typeof MediaFetch>
