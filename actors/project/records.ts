/**
 * What the messages of a turn need from the database, read for all of them at once.
 *
 * The turn changes these records as it decides, so that a later message of the same turn sees what an earlier one did;
 * between turns the tables are the truth, because only this actor writes them.
 */
import {
  Broadcast,
  Channel,
  Contact,
  type Database,
  type DeadStreak,
  Delivery,
  deadStreak,
  Flow,
  findIdentity,
  findToken,
  Idempotency,
  type Identity,
  listSentUpTo,
  Message,
  Project,
  readRows,
  Subscription,
  Template,
  type TokenState,
  User,
} from '../../storage/mod.ts'
import { isCrmCommand, wantCrmCommand } from '../crm/commands.ts'
import { type CrmRecords, CrmWants, readCrm, readOpenTickets } from '../crm/records.ts'
import { tokenIsOf } from '../providers/telegram/mod.ts'
import type { BulkSlice } from './broadcasts.ts'
import { type Files, providerFiles, readFiles, wantedFiles } from './files.ts'
import { keepFlow } from './flows.ts'
import type { InboundCall } from './inbound_call.ts'
import type { Conclusion } from './operations.ts'
import type { ProjectMessage } from './protocol.ts'
import type { SendMessage } from './request.ts'
import { type ProjectState, type TemplateFacts, templateKey } from './state.ts'

export type ProjectRecords = {
  identities: Map<string, Identity>
  /** By `route key`. */
  answers: Map<string, Idempotency>
  /** By `channel_type channel_id user_id`, with an empty channel id for contacts of the channel type as a whole. */
  contacts: Map<string, Contact>
  contactsById: Map<string, Contact>
  /** By our id, and by `channel_id provider_message_id`. */
  messages: Map<string, Message>
  templates: Map<string, TemplateFacts>
  subscriptions: Map<string, Subscription>
  /** Whom to tell, and what, when a subscription is switched off; by its id. */
  failing: Map<string, { owner: User; streak: DeadStreak }>
  files: Files
  /** Sent before a moment up to which a person has read, or received; by `watermarkKey`. */
  before: Map<string, Message[]>
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

/** What is wanted of each table; sets, because messages of a turn often want the same. */
class Wants {
  readonly identities = new Set<string>()
  readonly answers = new Map<string, { route: string; key: string }>()
  readonly users = new Map<string, Set<string>>()
  readonly bsuids = new Set<string>()
  readonly files = new Set<string>()
  readonly contacts = new Set<string>()
  readonly messages = new Set<string>()
  readonly provided = new Set<string>()
  readonly watermarks: Watermark[] = []
  readonly templates = new Map<string, { channel_id: string; name: string; language: string }>()
  readonly subscriptions = new Set<string>()
  readonly deliveries = new Set<string>()
  /** Ids of either kind. */
  readonly flows = new Set<string>()
  readonly broadcasts = new Set<string>()
  /** Names of templates that webhooks speak of. */
  readonly templateNames = new Set<string>()
  /** Channels of which all templates are wanted. */
  readonly listed = new Set<string>()
  readonly tokens = new Set<string>()
  readonly channels = new Set<string>()
  limits = false
  readonly crm = new CrmWants()

  user(channel_type: string, user_id: string): void {
    const set = this.users.get(channel_type)
    if (set) set.add(user_id)
    else this.users.set(channel_type, new Set([user_id]))
  }

  /** An id as API clients give it: ours, or the provider's. */
  reference(id: string): void {
    if (id.startsWith('msg_')) this.messages.add(id)
    else this.provided.add(id)
  }
}

/** Everything sent to a person on a channel until then. */
type Watermark = { channel_id: string; channel_type: string; user_id: string; at: Date }

export function watermarkKey(channel_id: string, { user_id, at }: { user_id: string; at: Date }): string {
  return `${channel_id} ${user_id} ${at.getTime()}`
}

/** WhatsApp's business-scoped user ids start with a country; people with a username have no number to show (since 2026). */
const BSUID = /^[A-Z]{2}\.[A-Za-z0-9]+$/

/** Whom a message is for: on WhatsApp the digits of the phone number, or the business-scoped id. */
export function personOf(channel: string, to: string): { user_id: string | null; bsuid: string | null } {
  // Mailboxes are told apart by case nowhere.
  if (channel === 'email') return { user_id: to.toLowerCase(), bsuid: null }
  if (channel !== 'whatsapp') return { user_id: to, bsuid: null }
  return BSUID.test(to) ? { user_id: null, bsuid: to } : { user_id: to.replace(/^\+/, ''), bsuid: null }
}

function wantPerson(wants: Wants, channel: string, to: string): void {
  const { user_id, bsuid } = personOf(channel, to)
  if (user_id) wants.user(channel, user_id)
  if (bsuid) wants.bsuids.add(bsuid)
}

function wantConclusion(wants: Wants, { claim, changes }: Conclusion): void {
  if (claim) wants.answers.set(`${claim.idempotency.route} ${claim.idempotency.key}`, claim.idempotency)
  for (const change of changes) {
    if (change.type === 'create_broadcast') wants.broadcasts.add(change.id)
    else wants.flows.add(change.type === 'register_flow' ? change.provider_flow_id : change.id)
  }
}

function wantSend(wants: Wants, command: SendMessage, state: ProjectState): void {
  wantPerson(wants, command.channel, command.to)
  if (command.context) wants.reference(command.context.message_id)
  const { message } = command
  for (const media_id of wantedFiles(message).keys()) wants.files.add(media_id)
  if (message.type === 'reaction') wants.reference(message.message_id)
  if (message.type === 'flow') wants.flows.add(message.flow_id)
  if (message.type !== 'template') return
  for (const channel of state.channels.values()) {
    if (channel.channel_type === command.channel) wantTemplate(wants, state, channel.id, message)
  }
}

function wantTemplate(
  wants: Wants,
  state: ProjectState,
  channel_id: string,
  { name, language }: { name: string; language: string },
): void {
  const key = templateKey(channel_id, name, language)
  if (!state.templates.has(key)) wants.templates.set(key, { channel_id, name, language })
}

function wantSlice(
  wants: Wants,
  { channel_id, template_name: name, language, recipients }: BulkSlice,
  state: ProjectState,
) {
  wantTemplate(wants, state, channel_id, { name, language })
  for (const { phone } of recipients) wantPerson(wants, 'whatsapp', phone)
}

function wantInbound(wants: Wants, call: InboundCall | undefined): void {
  for (const { channel, item } of call?.said ?? []) {
    if (item.kind === 'message') {
      for (const { user_id, bsuid } of item.becomes ? [item, item.becomes] : [item]) {
        if (user_id) wants.user(channel.channel_type, user_id)
        if (bsuid) wants.bsuids.add(bsuid)
      }
      wants.provided.add(item.provider_message_id)
      const keyboard = tokenIsOf(item)
      if (keyboard !== undefined) wants.provided.add(keyboard)
    } else if (item.kind === 'status') {
      if (item.opaque?.startsWith('msg_')) wants.messages.add(item.opaque)
      if (item.provider_message_id) wants.provided.add(item.provider_message_id)
      if (item.up_to)
        wants.watermarks.push({ channel_id: channel.id, channel_type: channel.channel_type, ...item.up_to })
    } else if (item.kind === 'template') wants.templateNames.add(item.name)
    else if (item.kind === 'flow') wants.flows.add(item.provider_flow_id)
  }
}

function wantsOf(messages: ProjectMessage[], calls: Map<ProjectMessage, InboundCall>, state: ProjectState): Wants {
  const wants = new Wants()
  for (const message of messages) {
    switch (message.type) {
      case 'request': {
        const { command, idempotency } = message
        if (idempotency) wants.answers.set(`${idempotency.route} ${idempotency.key}`, idempotency)
        if (command?.type === 'read_identity') wants.identities.add(message.token_id)
        else if (command?.type === 'send_message') wantSend(wants, command, state)
        else if (command?.type === 'send_raw')
          wantPerson(wants, 'whatsapp', command.payload.to ?? command.payload.recipient!)
        else if (command && isCrmCommand(command)) wantCrmCommand(wants.crm, command)
        else if (command && 'id' in command) wants.subscriptions.add(command.id)
        if (command?.type === 'redeliver_webhook') wants.deliveries.add(command.delivery_id)
        break
      }
      case 'inbound':
        wantInbound(wants, calls.get(message))
        break
      case 'conclude':
        wantConclusion(wants, message)
        break
      case 'bulk_slice':
        wantSlice(wants, message, state)
        break
      case 'templates_listed':
        wants.listed.add(message.channel_id)
        break
      case 'message_accepted':
      case 'message_refused':
        wants.messages.add(message.message_id)
        break
      case 'subscription_failing':
        wants.subscriptions.add(message.subscription_id)
        break
      case 'refresh':
        if (message.what === 'token') wants.tokens.add(message.id)
        else if (message.what === 'channel') wants.channels.add(message.id)
        else if (message.what === 'limits') wants.limits = true
        else if (message.what === 'crm') wants.crm.any = wants.crm.fresh = true
        break
    }
  }
  return wants
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
    messages: new Map(),
    templates: new Map(),
    subscriptions: new Map(),
    failing: new Map(),
    files: providerFiles,
    before: new Map(),
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
      for (const row of await readRows(database, Contact, ...where)) keepContact(records, row)
    })
  }
  job(wants.files.size > 0, async () => {
    records.files = await readFiles(database, state, wants.files, now)
  })
  job(wants.bsuids.size > 0, async () => {
    const where = { project_id, bsuid: [...wants.bsuids] }
    for (const row of await readRows(database, Contact, where)) keepContact(records, row)
  })
  job(wants.messages.size > 0 || wants.provided.size > 0, async () => {
    const ours = { id: [...wants.messages], project_id }
    const theirs = { channel_id: channel_ids, provider_message_id: [...wants.provided] }
    for (const row of await readRows(database, Message, ours, theirs)) keepMessage(records, row)
  })
  for (const watermark of wants.watermarks) {
    job(true, async () => {
      const rows = await listSentUpTo(database, company_id, watermark)
      for (const row of rows) keepMessage(records, row)
      records.before.set(watermarkKey(watermark.channel_id, watermark), rows)
    })
  }
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
    records.crm = await readCrm(database, wants.crm, owner, state.crm, (contact) => keepContact(records, contact))
    state.crm ??= records.crm.definitions
  })
  await Promise.all(jobs)
  if (records.crm && wants.crm.of_people) {
    await readOpenTickets(database, records.crm, project_id, records.contactsById.keys())
  }
  return records
}

export function keepContact(records: ProjectRecords, row: Contact): void {
  records.contacts.set(contactKey(row.channel_type, row.channel_id, row.user_id), row)
  if (row.bsuid) records.contacts.set(contactKey(row.channel_type, row.channel_id, row.bsuid), row)
  records.contactsById.set(row._id, row)
}

export function keepMessage(records: ProjectRecords, row: Message): void {
  const known = records.messages.get(row.id) ?? row
  records.messages.set(row.id, known)
  if (known.provider_message_id) records.messages.set(providerKey(known.channel_id, known.provider_message_id), known)
}
