/** The draft, which is what an agent has written to a ticket and not sent, as the console shows it. */
import * as v from 'valibot'
import { type Draft, type DraftPlace, isEmptyDraft } from '../../../storage/mod.ts'
import { type InMemory, named, recordId, timestamp } from '../../schema/mod.ts'

const attachment = v.object({
  media_id: v.string(),
  type: v.optional(v.string()),
  filename: v.optional(v.string()),
  mime_type: v.optional(v.string()),
  file_size: v.optional(v.number()),
})

export const draftRecord = named(
  'Draft',
  v.object({
    ticket_id: recordId,
    kind: v.picklist(['reply', 'note']),
    version: v.number(),
    content: v.string(),
    attachments: v.array(attachment),
    context: v.nullable(v.record(v.string(), v.unknown())),
    updated_at: v.nullable(timestamp),
  }),
)

export type DraftRecord = InMemory<v.InferOutput<typeof draftRecord>>

/** The answer of a save or a deletion. */
export const writtenDraft = named(
  'SavedDraft',
  v.object({
    ...draftRecord.entries,
    is_saved: v.pipe(v.boolean(), v.description('False when a draft of this or a later version is stored')),
  }),
)

export type WrittenDraft = InMemory<v.InferOutput<typeof writtenDraft>>

/** A draft in the list, with the beginning of its text. */
export const listedDraft = named(
  'ListedDraft',
  v.object({
    ticket_id: recordId,
    kind: draftRecord.entries.kind,
    version: v.number(),
    content: v.string(),
    updated_at: timestamp,
    contact: v.object({ _id: recordId, name: v.nullable(v.string()) }),
  }),
)

export function toDraftRecord({
  ticket_id,
  kind,
  version,
  content,
  attachments,
  context,
  updated_at,
}: Draft): DraftRecord {
  const is_empty = isEmptyDraft({ content, attachments })
  return {
    ticket_id,
    kind,
    version,
    content,
    attachments,
    context: is_empty ? null : (context ?? null),
    updated_at: is_empty ? null : updated_at,
  }
}

/** The record where no draft was ever saved. */
export function noDraft({ ticket_id, kind }: Pick<DraftPlace, 'ticket_id' | 'kind'>): DraftRecord {
  return { ticket_id, kind, version: 0, content: '', attachments: [], context: null, updated_at: null }
}
