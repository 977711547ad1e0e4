/**
 * The records whose changes consoles see, by entity. An event has the record as the API answers it, made of the records
 * that the turn has in its hands. Where these do not suffice, and where a record is large, the event has some columns
 * of the record and `partial: true`; and `stale: true` if other columns may have changed, too.
 */
import {
  Appointment,
  Contact,
  CrmEvent,
  KnowledgeNode,
  Message,
  Note,
  Ticket,
  TicketActivity,
} from '../../../storage/mod.ts'
import {
  toAgentNoteRecord,
  toAppointmentRecord,
  toContactRecord,
  toCrmEventRecord,
  toListedKnowledgeNode,
  toMessageRecord,
} from '../../records/mod.ts'
import { toTicketRecord } from '../tickets/ticket_record.ts'
import type { TurnView } from './turn_view.ts'

/** A record that a turn changed. `values`: the columns written; all columns of a record that was created. */
export type ChangedRecord = { id: string; fate: 'created' | 'updated' | 'deleted'; values: object }

export type PublishedRecord = {
  /** First part of the types of its events. */
  name: 'message' | 'ticket' | 'note' | 'event' | 'contact' | 'knowledge' | 'appointment'
  /** The column with the id of the record, in the events. */
  id: 'id' | '_id'
  /** The same in the writes of the turn. */
  key: string
  /** Last part of the type for a new record. */
  created: 'created' | 'recorded' | 'changed'
  /** The same for one that is changed; `updated` by default. */
  updated?: 'changed'
  /** Columns that no record shows. */
  hidden: readonly string[]
  /** Undefined when the turn does not have the whole record. */
  show(view: TurnView, change: ChangedRecord): object | undefined
  brief(view: TurnView, change: ChangedRecord): object
  /** True when `brief` has all columns that changed. */
  isBrief?(change: ChangedRecord): boolean
  /** True for a row that is no record any more. */
  isGone?(view: TurnView, change: ChangedRecord): boolean
  /** The contact of the record. */
  contact(view: TurnView, change: ChangedRecord): string | null | undefined
  /** True for a message of a broadcast. */
  isOfBroadcast?(view: TurnView, change: ChangedRecord): boolean
}

const usual = { id: '_id', key: '_id', created: 'created', hidden: [] } as const

const message: PublishedRecord = {
  ...usual,
  name: 'message',
  id: 'id',
  key: 'id',
  hidden: ['watermarks', 'taken_after', 'takes_thread'],
  show(view, change) {
    const row = messageOf(view, change)
    return row && toMessageRecord(row)
  },
  brief(view, change) {
    const { chat_user, direction, status, updated_at } = { ...messageOf(view, change), ...change.values } as Message
    return { id: change.id, chat_user, direction, status, updated_at }
  },
  contact: (view, change) => messageOf(view, change)?.chat_user,
  isOfBroadcast: (view, change) => messageOf(view, change)?.broadcast_id != null,
}

function messageOf(view: TurnView, { id, fate, values }: ChangedRecord): Message | undefined {
  return fate === 'created' ? (values as Message) : view.message(id)
}

const ticket: PublishedRecord = {
  ...usual,
  name: 'ticket',
  show(view, { id }) {
    const row = view.ticket(id)
    const contact = row && view.contact(row.chat_user)
    const { definitions } = view
    return contact && definitions && toTicketRecord(row, contact, definitions)
  },
  brief(view, { id, values }) {
    const { unread_count, last_activity_at, version, updated_at } = values as Partial<Ticket & TicketActivity>
    return { _id: id, chat_user: view.contactOfTicket(id), unread_count, last_activity_at, version, updated_at }
  },
  isBrief: ({ fate, values }) => fate === 'updated' && Object.keys(values).every((column) => ACTIVITY.has(column)),
  contact: (view, { id }) => view.contactOfTicket(id),
}

/** Columns of `TicketActivity`. */
const ACTIVITY: ReadonlySet<string> = new Set([
  'ticket_id',
  'unread_count',
  'last_activity_at',
  'inbound_count',
  'waiting_since',
])

const contact: PublishedRecord = {
  ...usual,
  name: 'contact',
  show(view, { id }) {
    const row = view.contact(id)
    return row && toContactRecord(row, view.now)
  },
  brief: (_view, { id, values }) => ({ _id: id, updated_at: (values as Partial<Contact>).updated_at }),
  // It was merged into another contact.
  isGone: (view, { id }) => view.contact(id)?.merged_into != null,
  contact: (_view, { id }) => id,
}

const note: PublishedRecord = {
  ...usual,
  name: 'note',
  show({ definitions }, { values }) {
    const row = values as Note
    return (
      definitions && toAgentNoteRecord({ ...row, full_name: definitions.users.get(row.created_by)?.full_name ?? null })
    )
  },
  brief(_view, { values }) {
    const { _id, ticket_id, chat_user, created_at } = values as Note
    return { _id, ticket_id, chat_user, created_at }
  },
  contact: (_view, { values }) => (values as Note).chat_user,
}

const event: PublishedRecord = {
  ...usual,
  name: 'event',
  created: 'recorded',
  show: (_view, { values }) => toCrmEventRecord(values as CrmEvent),
  brief(_view, { values }) {
    const { data, ...brief } = toCrmEventRecord(values as CrmEvent)
    return brief
  },
  contact: (_view, { values }) => (values as CrmEvent).chat_user,
}

/** Without its text. A deleted node is not active. */
const knowledge: PublishedRecord = {
  ...usual,
  name: 'knowledge',
  created: 'changed',
  updated: 'changed',
  show(view, { id, fate, values }) {
    const row = fate === 'created' ? (values as KnowledgeNode) : view.knowledgeNode(id)
    return row && toListedKnowledgeNode({ ...row, ...values })
  },
  brief: (_view, { id, values }) => ({ _id: id, updated_at: (values as Partial<KnowledgeNode>).updated_at }),
  contact: () => undefined,
}

const appointment: PublishedRecord = {
  ...usual,
  name: 'appointment',
  id: 'id',
  key: 'id',
  created: 'changed',
  updated: 'changed',
  show(view, { id }) {
    const appointment = view.appointment(id)
    const assignee = appointment?.assigned_to ? view.definitions?.users.get(appointment.assigned_to) : null
    return appointment && assignee !== undefined ? toAppointmentRecord({ appointment, assignee }) : undefined
  },
  brief: (_view, { id, values }) => ({ id, updated_at: (values as Partial<Appointment>).updated_at }),
  contact: () => undefined,
}

/** The activity of a ticket is shown as part of the ticket. */
export const publishedRecords: ReadonlyMap<unknown, PublishedRecord> = new Map<unknown, PublishedRecord>([
  [Message, message],
  [Ticket, ticket],
  [TicketActivity, { ...ticket, key: 'ticket_id' }],
  [Note, note],
  [CrmEvent, event],
  [Contact, contact],
  [KnowledgeNode, knowledge],
  [Appointment, appointment],
])
