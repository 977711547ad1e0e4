/**
 * The events of the socket between the page and the server, in both directions. `docs/console_live.md` describes them.
 */
import type { Appointment } from './appointment.ts'
import type { Broadcast } from './broadcast.ts'
import type { ErrorBody } from './fault.ts'
import type { FailedReply, ReadMark, SnoozeChange } from './inbox.ts'
import type { CannedResponse, Draft, Notification, SavedView } from './inbox_records.ts'
import type { KnowledgeNode } from './knowledge.ts'
import type * as records from './project_records.ts'
import type { AnyRecord } from './record.ts'
import type { ScheduledMessage } from './scheduled_message.ts'

/** A part of a record. `stale`: other fields may have changed, too, so a page that shows it reads the record again. */
export type PartOf<Record> = Partial<Record> & { partial: true; stale: boolean }

type RecordEvent<Type extends string, Record> = {
  type: Type
  data: (Record & { partial?: undefined }) | PartOf<Record>
}

/**
 * Types unknown to the page come from later releases. An event with a `user_id` is sent to the sockets of this user
 * alone.
 */
export type ProjectEvent = { user_id?: string } & (
  | { type: 'broadcast.progress'; data: Broadcast }
  /** Broadcasts have changed messages, tickets and contacts of these contacts; null: of too many to name. */
  | { type: 'broadcast.messages'; data: { chat_users: string[] | null } }
  | RecordEvent<'message.created' | 'message.updated', records.Message>
  | RecordEvent<'ticket.created' | 'ticket.updated', records.Ticket>
  | RecordEvent<'note.created', records.Note>
  | RecordEvent<'event.recorded', records.CrmEvent>
  | RecordEvent<'contact.created' | 'contact.updated', records.Contact>
  /** A node is new, changed or, when it is not active, deleted with all below it. */
  | RecordEvent<'knowledge.changed', KnowledgeNode>
  | RecordEvent<'appointment.changed', Appointment>
  /** Deleted with everything that belongs to it. */
  | { type: 'ticket.deleted' | 'contact.deleted'; data: { _id: string } }
  /** Pipelines, tags, users, event types or custom fields have changed. */
  | { type: 'definitions.changed'; data: object }
  /** For the agent's own sockets alone. */
  | { type: 'draft.saved'; data: Draft }
  | { type: 'draft.deleted'; data: Pick<Draft, 'ticket_id' | 'kind' | 'version'> }
  | { type: 'notification.created'; data: Notification }
  | { type: 'notification.read'; data: { notification_ids: string[]; unread_count: number } }
  /** Null: gone, or no longer visible to this agent. */
  | { type: 'canned_response.changed'; data: { _id: string; canned_response: CannedResponse | null } }
  | { type: 'view.changed'; data: { _id: string; view: SavedView | null } }
  | { type: 'inbox.read'; data: ReadMark }
  | { type: 'inbox.failed'; data: FailedReply }
  | { type: 'snooze.changed'; data: SnoozeChange }
  | { type: 'scheduled_message.changed'; data: ScheduledMessage | PartOf<ScheduledMessage> }
  | { type: InboxEventType; data: AnyRecord }
  | NoticeEvent
)

/** Records of agents beside tickets. */
type InboxEventType = 'bulk_action.progress'

/** The position is that of the last event. */
export type News = { project_id: string; position: string; events: ProjectEvent[] }

/** `resync`: events may have been missed, so the page reads everything again. */
export type WatchAnswer = { position: string; resync: boolean; error?: undefined } | ErrorBody

/** The activity of an agent at a ticket. */
export type PresenceState = 'viewing' | 'replying'

/** All who look at a ticket. */
export type Presence = {
  project_id: string
  ticket_id: string
  users: { user_id: string; full_name: string; state: PresenceState }[]
}

/** A notice is told and not stored: it is in no feed, and is not told again after an interruption. */
type NoticeEvent =
  /** A visitor of the web chat writes, or does not any more. `chat_user`: the contact. */
  | { type: 'visitor.typing'; data: { chat_user: string; typing: boolean } }
  /** An assistant writes in the conversation of a ticket, or does not any more. */
  | { type: 'assistant.typing'; data: { ticket_id: string; assistant_id: string; typing: boolean } }
  /** A customer of the company is new, changed or deleted. */
  | { type: 'customer.changed'; data: { _id: string } }

export type Notice = { project_id: string } & NoticeEvent

/** Events from the server, by name. */
export type ServerEvents = {
  live(news: News): void
  resync(where: { project_id: string }): void
  presence(presence: Presence): void
  notice(notice: Notice): void
  signed_out(): void
}

/** Requests of the page, by name. `after` is the position of the last received event. */
export type Asked = {
  watch(question: { project_id: string; after?: string }, answer: (answer: WatchAnswer) => void): void
  unwatch(question: { project_id: string }): void
  presence(
    said: { project_id: string; ticket_id: string; state: PresenceState | 'gone' },
    answer: (answer: { error?: object }) => void,
  ): void
}

/** `refused`: this address is not allowed. */
export type LiveState = 'connecting' | 'live' | 'reconnecting' | 'refused' | 'signed_out' | 'closed'

/** Called with what happens on the live connection. */
export type LiveListener = {
  state(state: LiveState): void
  events(project_id: string, events: ProjectEvent[]): void
  presence(presence: Presence): void
  /** The connection is lost, so nobody knows who is where. */
  lost(): void
  /** All of the project is to be read anew. */
  read(project_id: string): void
  signedOut(): void
}
