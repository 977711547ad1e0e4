import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A text that agents insert by its shortcut. */
export const CannedResponse = defineEntity({
  name: 'CannedResponse',
  tableName: 'canned_response',
  properties: {
    _id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    /** The only agent who has it; null for all agents of the project. */
    owner_id: p.text().nullable(),
    /** In lower case. Unique among those of its owner, and among the shared ones. */
    shortcut: p.text(),
    title: p.text().nullable(),
    content: p.text(),
    /** Null when the user was deleted. */
    created_by: p.text().nullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type CannedResponse = InferEntity<typeof CannedResponse>
