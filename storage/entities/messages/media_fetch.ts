import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A file of a person's message that its provider still has. The row ends when the file is stored here. */
export const MediaFetch = defineEntity({
  name: 'MediaFetch',
  tableName: 'media_fetch',
  properties: {
    media_id: p.text().primary(),
    project_id: p.text(),
    channel_id: p.text(),
    /** The message, or the notice of an edit, that brought the file. Null in rows of releases that wrote none. */
    message_id: p.text().nullable(),
    /** The contact who sent it. */
    chat_user: p.text().nullable(),
    /** Facts by which the adapter finds the file. */
    reference: p.json<Record<string, unknown>>().columnType('json'),
    /** Attempts that have begun. */
    attempts: p.integer(),
    /** Time of the next attempt; in the past while one is under way. */
    next_at: p.datetime(3),
    /** The code of the last failure. */
    error: p.text().nullable(),
    /** Time at which it was given up, until somebody has it fetched again. */
    failed_at: p.datetime(3).nullable(),
    created_at: p.datetime(3),
  },
})

export type MediaFetch = InferEntity<typeof MediaFetch>
