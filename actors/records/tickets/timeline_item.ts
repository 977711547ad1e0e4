/** An item of a ticket's timeline as the API shows it: the fields of a note, an event or a message. */
import * as v from 'valibot'
import type { TimelineRow } from '../../../storage/mod.ts'
import { type InMemory, named, timestamp } from '../../schema/mod.ts'
import { toMessageRecord } from '../messages/message.ts'
import { toCrmEventRecord } from './crm_event.ts'
import { toNoteRecord } from './note.ts'

export const timelineItem = named(
  'TimelineItem',
  v.pipe(
    v.objectWithRest({ kind: v.picklist(['note', 'event', 'message']), created_at: timestamp }, v.unknown()),
    v.description('The fields of the note, the event or the message'),
  ),
)

/** `toNote`: `toAgentNoteRecord` for the console. */
export function toTimelineItem(
  { kind, row }: TimelineRow,
  toNote = toNoteRecord,
): InMemory<v.InferOutput<typeof timelineItem>> {
  if (kind === 'note') return { kind, ...toNote(row) }
  return { kind, ...(kind === 'event' ? toCrmEventRecord(row) : toMessageRecord(row)) }
}
