import {
  Appointment,
  type Contact,
  type ContactMerge,
  MergedRecord,
  Message,
  type MovedUpTo,
  type MovingRecord,
  Note,
  ScheduledMessage,
  Ticket,
} from '../../../storage/mod.ts'
import { recentMessagesOf } from '../messages/recent_messages.ts'
import { giveTicket } from '../tickets/give_ticket.ts'
import { ticketsOf } from '../tickets/reads.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** The durable timer of a merge that goes on. `after`: where an undo has come to. */
export type ContinueMerge = { merge_id: string; after: MovedUpTo | null }

/** Gives records to another contact. `keeps`: what is noted of the identity under which a record came. */
export function moveRecords(
  turn: ProjectTurn,
  { from, to }: { from: Contact; to: Contact },
  moving: readonly MovingRecord[],
  keeps: (record: MovingRecord) => 'note' | 'keep' | 'forget',
): void {
  for (const record of moving) {
    const { kind, record_id } = record
    move(turn, record, to)
    const kept = keeps(record)
    if (kept === 'note') {
      const about = { project_id: turn.state.project_id, contact_id: from._id }
      turn.upsert(MergedRecord, { kind, record_id, ...about })
    }
    if (kept === 'forget') turn.remove(MergedRecord, { kind, record_id })
  }
  recentMessagesOf(turn.state).forget(new Set([from._id]))
}

function move(turn: ProjectTurn, { kind, record_id, version }: MovingRecord, to: Contact): void {
  const chat_user = to._id
  if (kind === 'message') turn.update(Message, { id: record_id }, { chat_user })
  else if (kind === 'note') turn.update(Note, { _id: record_id }, { chat_user })
  else if (kind === 'appointment') turn.update(Appointment, { id: record_id }, { chat_user })
  else if (kind === 'scheduled_message') turn.update(ScheduledMessage, { id: record_id }, { chat_user })
  else moveTicket(turn, record_id, version!, to)
}

function moveTicket(turn: ProjectTurn, _id: string, version: number, to: Contact): void {
  const read = ticketsOf(turn).by_id.get(_id)
  if (read) giveTicket(turn, read, to)
  else turn.update(Ticket, { _id }, { chat_user: to._id, version: version + 1, updated_at: turn.now })
}

/** Has the next page moved, in a turn of its own. */
export function goOn(turn: ProjectTurn, { _id: merge_id }: ContactMerge, last: MovingRecord | undefined): void {
  const after = last ? { kind: last.kind, record_id: last.record_id } : null
  const message: ContinueMerge = { merge_id, after }
  turn.timer(`contact_merge/${merge_id}`, turn.now, { type: 'continue_contact_merge', ...message, cause: turn.cause })
}
