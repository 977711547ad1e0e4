/**
 * What the messages of a turn need from the database, read for all of them at once.
 *
 * The turn changes these records as it decides, so that a later message of the same turn sees what an earlier one did;
 * between turns the tables are the truth, because only this actor writes them.
 */
import {
  type ActiveTicket,
  Broadcast,
  Channel,
  type Contact,
  type ContactWithTicket,
  customersAt,
  type Database,
  type DeadStreak,
  Delivery,
  deadStreak,
  EarlyStatus,
  Flow,
  findIdentity,
  findToken,
  Idempotency,
  type Identity,
  listReceivedFrom,
  listUnreadBy,
  Message,
  Project,
  readPeople,
  readRows,
  Subscription,
  Template,
  type TokenState,
  User,
} from '../../storage/mod.ts'
import { contactPointsOf } from '../crm/customer_link.ts'
import { type CrmRecords, keepTicket, readCrm } from '../crm/records.ts'
import { type Files, providerFiles, readFiles } from './files.ts'
import { keepFlow } from './flows.ts'
import type { InboundCall } from './inbound_call.ts'
import type { ProjectMessage } from './protocol.ts'
import { type ProjectState, type TemplateFacts, templateKey } from './state.ts'
import { type Wants, wantsOf } from './wants.ts'

export type ProjectRecords = {
  identities: Map<string, Identity>
  /** By `route key`. */
  answers: Map<string, Idempotency>
  /** By `channel_type channel_id user_id`, with an empty channel id for contacts of the channel type as a whole. */
  contacts: Map<string, Contact>
  contactsById: Map<string, Contact>
  /** Identities (`contactKey`) of contacts of other projects of the company: neither this project's nor free. */
  taken: Set<string>
  /** Of contacts that messages come from or go to, as they were before the turn; by contact. `openTicketOf` has them as they are. */
  openTickets: Map<string, ActiveTicket>
  /** Ids of customers by phone and by e-mail address, of those whom `contactPointsOf` names. */
  customersAt: Map<string, string>
  /** By our id, and by `channel_id provider_message_id`. */
  messages: Map<string, Message>
  templates: Map<string, TemplateFacts>
  subscriptions: Map<string, Subscription>
  /** Whom to tell, and what, when a subscription is switched off; by its id. */
  failing: Map<string, { owner: User; streak: DeadStreak }>
  files: Files
  /** Messages that a watermark may cover, oldest first; by `watermarkKey`. */
  unread: Map<string, Message[]>
  /** Statuses that came before the provider's id of their message was known; by `providerKey`. */
  early: Map<string, EarlyStatus[]>
  deliveries: Map<string, Delivery>
  /** By our id and by the provider's. */
  flows: Map<string, Flow>
  /** Of those that an operation may be about to make: the ones that are there. */
  broadcasts: Set<string>
  /** Slices of broadcasts in this turn. */
  slices: number
  /** By `templateKey`: those that a webhook or a list speaks of. */
  templateRows: Map<string, Template>
  /** What a refresh found; `null` when the record is gone. */
  tokens: Map<string, TokenState | null>
  channels: Map<string, Channel | null>
  project: Project | null
  /** There when a message of the turn has to do with the CRM. */
  crm: CrmRecords | undefined
}

const plain = { disableIdentityMap: true } as const
const IDEMPOTENCY_MS = 24 * 3_600_000

export function contactKey(channel_type: string, channel_id: string | null | undefined, user_id: string): string {
  return `${channel_type} ${channel_id ?? ''} ${user_id}`
}

export function providerKey(channel_id: string, provider_message_id: string): string {
  return `${channel_id} ${provider_message_id}`
}

/** Reads for a turn. One query per table that is needed, side by side. */
export async function readRecords(
  messages: ProjectMessage[],
  calls: Map<ProjectMessage, InboundCall>,
  state: ProjectState,
  database: Database,
  now: Date,
): Promise<ProjectRecords> {
  const wants = wantsOf(messages, calls, state)
  const records: ProjectRecords = {
    identities: new Map(),
    answers: new Map(),
    contacts: new Map(),
    contactsById: new Map(),
    taken: new Set(),
    openTickets: new Map(),
    customersAt: new Map(),
    messages: new Map(),
    templates: new Map(),
    subscriptions: new Map(),
    failing: new Map(),
    files: providerFiles,
    unread: new Map(),
    early: new Map(),
    deliveries: new Map(),
    flows: new Map(),
    broadcasts: new Set(),
    slices: messages.filter(({ type }) => type === 'bulk_slice').length,
    templateRows: new Map(),
    tokens: new Map(),
    channels: new Map(),
    project: null,
    crm: undefined,
  }
  const { project_id, company_id } = state
  const jobs: Promise<unknown>[] = []
  const job = (wanted: boolean, run: () => Promise<unknown>) => {
    if (wanted) jobs.push(run())
  }
  for (const id of wants.identities) {
    job(!state.identities.has(id), async () => {
      const identity = await findIdentity(database, id)
      if (identity) records.identities.set(id, identity)
    })
  }
  job(wants.answers.size > 0, async () => {
    const pairs = [...wants.answers.values()]
    const since = new Date(now.getTime() - IDEMPOTENCY_MS)
    const rows = await readRows(database, Idempotency, ...pairs.map(({ route, key }) => ({ project_id, route, key })))
    for (const row of rows) if (row.created_at > since) records.answers.set(`${row.route} ${row.key}`, row)
  })
  const channel_ids = [...state.channels.keys()]
  for (const [channel_type, users] of wants.users) {
    job(users.size > 0, async () => {
      const people = { company_id, channel_type, user_id: [...users] }
      const where = [null, ...channel_ids].map((channel_id) => ({ ...people, channel_id }))
      for (const one of await readPeople(database, project_id, ...where)) keepPerson(records, one, project_id)
    })
  }
  job(wants.contacts.size > 0, async () => {
    const where = { project_id, _id: [...wants.contacts] }
    for (const one of await readPeople(database, project_id, where)) keepPerson(records, one, project_id)
  })
  job(wants.files.size > 0, async () => {
    records.files = await readFiles(database, state, wants.files, now)
  })
  job(wants.bsuids.size > 0, async () => {
    const bsuid = [...wants.bsuids]
    const known = { company_id, channel_type: 'whatsapp', channel_id: null, user_id: bsuid }
    for (const one of await readPeople(database, project_id, { project_id, bsuid }, known)) {
      keepPerson(records, one, project_id)
    }
  })
  job(wants.messages.size > 0 || wants.provided.size > 0, async () => {
    const ours = { id: [...wants.messages], project_id }
    const theirs = { channel_id: channel_ids, provider_message_id: [...wants.provided] }
    for (const row of await readRows(database, Message, ours, theirs)) keepMessage(records, row)
  })
  for (const [key, watermark] of wants.watermarks) {
    job(true, async () => {
      const rows = await listUnreadBy(database, company_id, watermark)
      records.unread.set(
        key,
        rows.map((row) => keepMessage(records, row)),
      )
    })
  }
  for (const chat_user of wants.readers) {
    job(true, async () => {
      for (const row of await listReceivedFrom(database, project_id, chat_user)) keepMessage(records, row)
    })
  }
  job(wants.early.size > 0, async () => {
    const where = { channel_id: channel_ids, provider_message_id: [...wants.early] }
    for (const row of await readRows(database, EarlyStatus, where)) keepEarly(records, row)
  })
  job(wants.templates.size > 0, async () => {
    const wanted = [...wants.templates.values()]
    const where = {
      channel_id: { $in: [...new Set(wanted.map((one) => one.channel_id))] },
      name: { $in: [...new Set(wanted.map((one) => one.name))] },
      language: { $in: [...new Set(wanted.map((one) => one.language))] },
    }
    for (const row of await database.em().find(Template, where, plain)) {
      records.templates.set(templateKey(row.channel_id, row.name, row.language), row)
    }
  })
  job(wants.subscriptions.size > 0, async () => {
    const where = { id: { $in: [...wants.subscriptions] }, project_id, deleted_at: null }
    for (const row of await database.em().find(Subscription, where, plain)) records.subscriptions.set(row.id, row)
    for (const message of messages) {
      if (message.type !== 'subscription_failing') continue
      const row = records.subscriptions.get(message.subscription_id)
      if (!row?.user_id) continue
      const [owner] = await readRows(database, User, { _id: row.user_id })
      if (owner) records.failing.set(row.id, { owner, streak: await deadStreak(database, row.id, row.failure_count) })
    }
  })
  job(wants.flows.size > 0, async () => {
    const ids = [...wants.flows]
    const where = [
      { project_id, id: ids },
      { project_id, provider_flow_id: ids },
    ]
    for (const row of await readRows(database, Flow, ...where)) keepFlow(records.flows, row)
  })
  job(wants.broadcasts.size > 0, async () => {
    const rows = await readRows(database, Broadcast, { id: [...wants.broadcasts] })
    for (const { id } of rows) records.broadcasts.add(id)
  })
  job(wants.templateNames.size > 0 || wants.listed.size > 0, async () => {
    const named = { channel_id: channel_ids, name: [...wants.templateNames] }
    for (const row of await readRows(database, Template, named, { channel_id: [...wants.listed] })) {
      records.templateRows.set(templateKey(row.channel_id, row.name, row.language), row)
    }
  })
  job(wants.deliveries.size > 0, async () => {
    const where = { id: [...wants.deliveries], project_id }
    for (const row of await readRows(database, Delivery, where)) records.deliveries.set(row.id, row)
  })
  for (const id of wants.tokens) {
    job(true, async () => records.tokens.set(id, (await findToken(database, project_id, id)) ?? null))
  }
  job(wants.channels.size > 0, async () => {
    const where = { _id: { $in: [...wants.channels] }, project_id }
    for (const id of wants.channels) records.channels.set(id, null)
    for (const row of await database.em().find(Channel, where, plain)) records.channels.set(row._id, row)
  })
  job(wants.limits, async () => {
    records.project = await database.em().findOne(Project, { _id: project_id }, plain)
  })
  job(wants.crm.any, async () => {
    const owner = { project_id, company_id }
    records.crm = await readCrm(database, wants.crm, owner, state, (contact) => keepContact(records, contact))
    state.crm ??= records.crm.definitions
  })
  await Promise.all(jobs)
  if (records.crm) for (const ticket of records.openTickets.values()) keepTicket(records.crm, ticket)
  await readCustomers(wants, records, state, database)
  return records
}

/** Whose those are that are no contact of their channel yet. */
async function readCustomers(wants: Wants, records: ProjectRecords, state: ProjectState, database: Database) {
  const contact_points = new Set(wants.crm.contact_points)
  for (const { channel_type, channel_id, user_id } of wants.newcomers) {
    const known = [channel_id, null].some((id) => records.contacts.has(contactKey(channel_type, id, user_id)))
    if (!known)
      for (const contact_point of contactPointsOf({ channel_type, user_id })) contact_points.add(contact_point)
  }
  if (contact_points.size > 0) records.customersAt = await customersAt(database, state.company_id, contact_points)
}

function keepPerson(records: ProjectRecords, { contact, open_ticket }: ContactWithTicket, project_id: string): void {
  if (contact.project_id !== project_id) {
    records.taken.add(contactKey(contact.channel_type, contact.channel_id, contact.user_id))
    return
  }
  keepContact(records, contact)
  if (open_ticket) records.openTickets.set(contact._id, open_ticket)
}

export function keepContact(records: ProjectRecords, row: Contact): void {
  records.contacts.set(contactKey(row.channel_type, row.channel_id, row.user_id), row)
  if (row.bsuid) records.contacts.set(contactKey(row.channel_type, row.channel_id, row.bsuid), row)
  records.contactsById.set(row._id, row)
}

export function keepEarly({ early }: ProjectRecords, row: EarlyStatus): void {
  const key = providerKey(row.channel_id, row.provider_message_id)
  const known = early.get(key) ?? []
  early.set(key, [...known.filter(({ status }) => status !== row.status), row])
}

/** Returns the record that the turn works on: the first one that was kept under the id. */
export function keepMessage(records: ProjectRecords, row: Message): Message {
  const known = records.messages.get(row.id) ?? row
  records.messages.set(row.id, known)
  if (known.provider_message_id) records.messages.set(providerKey(known.channel_id, known.provider_message_id), known)
  return known
}
