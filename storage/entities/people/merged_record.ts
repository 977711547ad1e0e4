import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** Tables whose records move with a contact. Events of timelines belong to tickets, and drafts too. */
export const movedKinds = ['ticket', 'scheduled_message', 'appointment', 'note', 'message'] as const
export type MovedKind = (typeof movedKinds)[number]

/** A record of a contact that is one of several by a merge: under whose ids it came. */
export const MergedRecord = defineEntity({
  name: 'MergedRecord',
  tableName: 'merged_record',
  properties: {
    kind: p.text().primary().$type<MovedKind>(),
    record_id: p.text().primary(),
    project_id: p.text(),
    /** The contact with these ids, which is merged into that of the record. */
    contact_id: p.text(),
  },
})

export type MergedRecord = InferEntity<typeof MergedRecord>
