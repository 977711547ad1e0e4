/** Customers, contacts, and what the CRM keeps about them. */
import {
  Contact,
  ContactMerge,
  CrmEvent,
  Customer,
  Draft,
  Note,
  Notification,
  Ticket,
  VisitorIdentity,
  VisitorSession,
} from '../../entities/mod.ts'
import { endNameless } from '../../sessions/visitor_sessions.ts'
import { sql } from '../../sql/sql.ts'
import { counted, placesOf, type RecordKind } from '../record_kind.ts'
import { contactIdentities } from '../subject.ts'
import { inProject } from './conditions.ts'
import { rememberFiles } from './conversations.ts'

/** Records of visitors of the web chat. By the time they are erased, the contact is gone: its identities lead to them. */
const ofVisitors: RecordKind['person'] = ({ projects, identities }) =>
  sql`project_id = any (${projects}) and user_id = any (${identities})`

export const peopleKinds: RecordKind[] = [
  {
    type: 'customer',
    table: 'customer',
    entity: Customer,
    person: ({ customers }) => sql`_id = any (${customers})`,
    // Customers belong to the company: the erasure of a project leaves them.
    project: (subject) => sql`_id in (select customer_id from contact where ${inProject(subject)})`,
    erase: false,
  },
  {
    type: 'contact',
    table: 'contact',
    entity: Contact,
    person: ({ contacts }) => sql`_id = any (${contacts})`,
    project: inProject,
    async erase(em, where, { prove }) {
      const rows = await em.execute<{ identities: string[] }[]>(
        sql`delete from contact where ${placesOf('contact', where)} returning ${contactIdentities(sql`contact`)} as identities`,
      )
      await prove(
        em,
        rows.flatMap(({ identities }) => identities),
      )
      return rows.length
    },
  },
  {
    type: 'contact_merge',
    table: 'contact_merge',
    entity: ContactMerge,
    person: ({ contacts }) => sql`(contact_id = any (${contacts}) or from_contact_id = any (${contacts}))`,
    project: inProject,
  },
  {
    type: 'merged_record',
    table: 'merged_record',
    person: ({ contacts }) => sql`contact_id = any (${contacts})`,
    project: inProject,
  },
  {
    type: 'visitor_session',
    table: 'visitor_session',
    entity: VisitorSession,
    hidden: ['hash'],
    person: ofVisitors,
    project: inProject,
    erase(em, where, { subject }) {
      const places = placesOf('visitor_session', where)
      return counted(
        em,
        sql`with gone as (${subject.kind === 'project' ? sql`delete from visitor_session where ${places}` : endNameless(places)} returning 1)
        select count(*)::int as count from gone`,
      )
    },
  },
  {
    type: 'visitor_identity',
    table: 'visitor_identity',
    entity: VisitorIdentity,
    person: ofVisitors,
    project: inProject,
  },
  {
    type: 'ticket',
    table: 'ticket',
    entity: Ticket,
    person: ({ contacts }) => sql`chat_user = any (${contacts})`,
    project: inProject,
    erase: (em, where) =>
      counted(
        em,
        sql`with gone as (delete from ticket where ${placesOf('ticket', where)} returning _id),
        activity as (delete from ticket_activity using gone where ticket_id = gone._id),
        entries as (delete from inbox_entry using gone where ticket_id = gone._id),
        marks as (delete from ticket_read using gone where ticket_id = gone._id)
        select count(*)::int as count from gone`,
      ),
  },
  {
    type: 'ticket_activity',
    table: 'ticket_activity',
    person: ({ tickets }) => sql`ticket_id = any (${tickets})`,
  },
  {
    type: 'inbox_entry',
    table: 'inbox_entry',
    person: ({ tickets }) => sql`ticket_id = any (${tickets})`,
  },
  {
    type: 'ticket_read',
    table: 'ticket_read',
    person: ({ tickets }) => sql`ticket_id = any (${tickets})`,
  },
  {
    type: 'draft',
    table: 'draft',
    entity: Draft,
    person: ({ tickets }) => sql`ticket_id = any (${tickets})`,
    project: inProject,
  },
  {
    type: 'notification',
    table: 'notification',
    entity: Notification,
    person: ({ contacts, tickets }) => sql`(chat_user = any (${contacts}) or ticket_id = any (${tickets}))`,
    project: inProject,
  },
  {
    type: 'note',
    table: 'note',
    entity: Note,
    person: ({ contacts, tickets }) => sql`(chat_user = any (${contacts}) or ticket_id = any (${tickets}))`,
    project: inProject,
    erase: (em, where, context) =>
      counted(
        em,
        sql`with gone as (
          delete from note where ${placesOf('note', where)} returning project_id, chat_user, attachments as message
        )${rememberFiles(context)}
        select count(*)::int as count from gone`,
      ),
  },
  {
    type: 'crm_event',
    table: 'crm_event',
    entity: CrmEvent,
    person: ({ contacts, tickets }) => sql`(ticket_id = any (${tickets}) or chat_user = any (${contacts}))`,
    // The busiest table has no index by contact. Events whose ticket is gone are found by a walk.
    indexed: ({ tickets }) => sql`ticket_id = any (${tickets})`,
    project: inProject,
  },
]
