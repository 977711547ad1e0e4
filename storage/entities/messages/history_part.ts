import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A part of a history that has arrived and is not stored yet: messages of one person, or the name of one. */
export const HistoryPart = defineEntity({
  name: 'HistoryPart',
  tableName: 'history_part',
  properties: {
    _id: p.text().primary(),
    import_id: p.text(),
    project_id: p.text(),
    channel_id: p.text(),
    /** The person, as the provider names it. Null when the messages name none. */
    user_id: p.text().nullable(),
    /** Messages and names in it. */
    count: p.integer(),
    /** Characters of the content as JSON. */
    size: p.integer(),
    /** In the provider's form, for its adapter. */
    content: p.json<Record<string, unknown>>().columnType('json'),
  },
})

export type HistoryPart = InferEntity<typeof HistoryPart>
