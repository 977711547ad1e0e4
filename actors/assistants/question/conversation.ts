/** The conversation as it was said, and its person: of a ticket, or as a client tells it. */
import {
  type AssistantConversation,
  type ContactPeople,
  type Database,
  findAssistantConversation,
  newDate,
  objectId,
  readContactPeople,
  readConversationPeople,
  readTranscript,
  type SaidMessage,
} from '../../../storage/mod.ts'
import { type BoundPerson, NOBODY } from '../tools/tool.ts'

/**
 * The conversation of a ticket, or one that a client gives, with the contact to whom tools are bound. `held`: the row of the
 * conversation, where the caller has read it just before.
 */
export type Subject =
  | { ticket_id: string; held?: Pick<AssistantConversation, 'segment' | 'version' | 'last_answer'> }
  | { messages: readonly GivenMessage[]; chat_user: string | null; company_id: string }

export type GivenMessage = { role: 'user' | 'assistant'; text: string }

export type Conversation = {
  company_id: string
  person: BoundPerson
  segment: number
  version: number
  last_answer: string | null
  said: SaidMessage[]
  /** Earlier messages are not among `said`. */
  is_cut: boolean
}

/** Undefined when the project has no such ticket or contact. */
export async function readConversation(
  database: Database,
  project_id: string,
  subject: Subject,
): Promise<Conversation | undefined> {
  if ('messages' in subject) return readGiven(database, project_id, subject)
  const { ticket_id } = subject
  const [held, people, { messages: said, is_cut }] = await Promise.all([
    subject.held ?? findAssistantConversation(database, project_id, ticket_id),
    readConversationPeople(database, project_id, ticket_id),
    readTranscript(database, project_id, ticket_id),
  ])
  if (!people) return undefined
  return {
    company_id: people.ticket.company_id,
    person: personOf(people, ticket_id),
    segment: held?.segment ?? 0,
    version: held?.version ?? 0,
    last_answer: held?.last_answer ?? null,
    ...{ said, is_cut },
  }
}

/** The person to whom tools are bound. Undefined when the project has no such ticket or contact. */
export async function readBoundPerson(
  database: Database,
  project_id: string,
  subject: Subject,
): Promise<BoundPerson | undefined> {
  if ('messages' in subject) {
    if (subject.chat_user === null) return NOBODY
    const people = await readContactPeople(database, project_id, subject.chat_user)
    return people && personOf(people, null)
  }
  const people = await readConversationPeople(database, project_id, subject.ticket_id)
  return people && personOf(people, subject.ticket_id)
}

async function readGiven(
  database: Database,
  project_id: string,
  subject: Extract<Subject, { messages: unknown }>,
): Promise<Conversation | undefined> {
  const person = await readBoundPerson(database, project_id, subject)
  if (!person) return undefined
  const { company_id, messages } = subject
  const said = messages.map((one) => asSaid(one))
  return { company_id, person, segment: 0, version: 0, last_answer: null, said, is_cut: false }
}

function asSaid({ role, text }: GivenMessage): SaidMessage {
  const is_answer = role === 'assistant'
  return {
    ...{ id: objectId(), channel_id: '', type: 'text', message: { body: text }, context: null },
    ...{ direction: is_answer ? 'outbound' : 'inbound', status: is_answer ? 'sent' : 'received' },
    ...{ origin: null, provider_message_id: null, broadcast_id: null, created_at: newDate(), deleted_at: null },
    // Answers of the assistant have no mark.
    assistant_id: is_answer ? '' : null,
  }
}

/**
 * The person as the provider proves it. The address that a visitor of a web chat left may be anybody's, so it is none of
 * the person's; that of the customer record counts.
 */
function personOf({ contact, customer }: ContactPeople, ticket_id: string | null): BoundPerson {
  const own_email = contact.channel_type === 'email' ? contact.user_id : null
  return {
    contact: {
      id: contact._id,
      name: contact.name ?? customer?.full_name ?? null,
      phone: contact.phone ?? customer?.phone ?? null,
      email: own_email ?? customer?.email ?? null,
      external_id: customer?.external_id ?? null,
    },
    customer_id: customer?._id ?? null,
    ticket_id,
  }
}
