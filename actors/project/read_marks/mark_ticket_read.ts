/** An agent has read a ticket, up to a message or all of it, or wants it to be unread again. */
import { type AskedMark, type FoundMark, MAX_UNREAD, readAskedMarks, TicketRead } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Command } from '../turn/feature.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** Without `message_id`: all that was stored when the turn began. */
export type MarkTicketRead = {
  type: 'mark_ticket_read'
  id: string
  /** The agent, whose mark is read before the turn. */
  user_id: string
  message_id?: string | undefined
}

type Found = {
  /** Keys are those of `keyOf`. */
  asked: Map<string, FoundMark>
}

const markReads: ReadKind<Map<string, AskedMark>, Found> = {
  keys: () => new Map(),
  found: () => ({ asked: new Map() }),
  async read({ asked }, keys, { database, state: { project_id } }) {
    for (const mark of await readAskedMarks(database, project_id, [...keys.values()])) asked.set(keyOf(mark), mark)
  },
}

const keyOf = ({ ticket_id, user_id, message_id }: AskedMark) => `${ticket_id} ${user_id} ${message_id ?? ''}`

const askedBy = ({ id, user_id, message_id }: MarkTicketRead): AskedMark => ({
  ticket_id: id,
  user_id,
  message_id: message_id ?? null,
})

/**
 * Moves the agent's mark forward. A mark that would go back, or stay, writes nothing.
 *
 * @throws {Refusal} NOT_FOUND, MESSAGE_NOT_FOUND
 */
export const markTicketRead = {
  reads(reads, command) {
    const mark = askedBy(command)
    reads.of(markReads).set(keyOf(mark), mark)
  },
  run(turn, command, { user_id }) {
    const { asked } = turn.records.of(markReads)
    const mark = asked.get(keyOf(askedBy(command)))
    if (!mark || mark.user_id !== user_id) throw refuse('NOT_FOUND')
    const { message_id, inbound_count, later } = mark
    if (!mark.is_known) {
      throw refuse(
        'MESSAGE_NOT_FOUND',
        { message_id },
        'The contact of this ticket has no message with this message_id.',
      )
    }
    const read_count = later === null ? 0 : Math.max(0, inbound_count - later)
    if (read_count > (mark.read_count ?? 0)) {
      move(turn, mark, { read_count, read_at: turn.now })
    }
    return { body: recordOf(mark) }
  },
} satisfies Command<MarkTicketRead>

export type MarkTicketUnread = {
  type: 'mark_ticket_unread'
  id: string
  /** The agent, whose mark is read before the turn. */
  user_id: string
}

/**
 * Takes the agent's mark back, before the person's last message. A ticket with unread messages, or without messages of
 * the person, stays as it is.
 *
 * @throws {Refusal} NOT_FOUND
 */
export const markTicketUnread = {
  reads(reads, { id, user_id }) {
    const mark: AskedMark = { ticket_id: id, user_id, message_id: null }
    reads.of(markReads).set(keyOf(mark), mark)
  },
  run(turn, { id }, { user_id }) {
    const mark = turn.records.of(markReads).asked.get(keyOf({ ticket_id: id, user_id, message_id: null }))
    if (!mark) throw refuse('NOT_FOUND')
    const { inbound_count, read_count, seen_count } = mark
    if (inbound_count > 0 && read_count !== null && read_count >= inbound_count) {
      const seen = Math.max(read_count, seen_count ?? 0)
      move(turn, mark, { read_count: inbound_count - 1, seen_count: seen, read_at: turn.now })
    }
    return { body: recordOf(mark) }
  },
} satisfies Command<MarkTicketUnread>

function move(
  turn: ProjectTurn,
  mark: FoundMark,
  moved: { read_count: number; read_at: Date; seen_count?: number },
): void {
  const { ticket_id, user_id } = mark
  // Other marks of the turn go on from here.
  for (const other of turn.records.of(markReads).asked.values()) {
    if (other.ticket_id === ticket_id && other.user_id === user_id) Object.assign(other, moved)
  }
  turn.upsert(TicketRead, { ticket_id, user_id, project_id: turn.state.project_id, ...moved })
  turn.live(turn.key, () => ({ type: 'inbox.read', data: recordOf(mark), user_id }))
}

function recordOf({ ticket_id, user_id, inbound_count, read_count, read_at }: FoundMark) {
  const unread_count = Math.min(Math.max(0, inbound_count - (read_count ?? 0)), MAX_UNREAD)
  return { ticket_id, user_id, read_count: read_count ?? 0, read_at, unread_count }
}
