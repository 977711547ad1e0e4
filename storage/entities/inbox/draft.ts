import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

export type DraftKind = 'reply' | 'note'

/** A file that was uploaded for the message. */
export type DraftAttachment = {
  media_id: string
  type?: string | undefined
  filename?: string | undefined
  mime_type?: string | undefined
  file_size?: number | undefined
}

/** An agent's text that is not sent yet. Without content and attachments it was deleted, and keeps its version. */
export const Draft = defineEntity({
  name: 'Draft',
  tableName: 'draft',
  properties: {
    ticket_id: p.text().primary(),
    user_id: p.text().primary(),
    kind: p.text().primary().$type<DraftKind>(),
    project_id: p.text(),
    version: p.integer(),
    content: p.text(),
    attachments: p.json<DraftAttachment[]>().columnType('json'),
    /** For the page. */
    context: p.json<Record<string, unknown>>().columnType('json').nullable(),
    updated_at: p.datetime(3),
  },
})

export type Draft = InferEntity<typeof Draft>
