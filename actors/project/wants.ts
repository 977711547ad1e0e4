/** What the messages of a turn need to know: named here, message by message, and read by `records.ts` for all of them. */
import { isCrmCommand, wantCrmCommand } from '../crm/command_wants.ts'
import { CrmWants } from '../crm/records.ts'
import { isOfPerson } from '../crm/system_events.ts'
import { tokenIsOf } from '../providers/telegram/mod.ts'
import type { BulkSlice } from './broadcasts.ts'
import { wantedFiles } from './files.ts'
import type { InboundCall } from './inbound_call.ts'
import type { ReadMessages } from './mark_read.ts'
import type { Conclusion } from './operations.ts'
import type { ProjectMessage } from './protocol.ts'
import type { SendMessage } from './request.ts'
import type { SendRaw } from './send_raw.ts'
import { type ProjectState, templateKey } from './state.ts'
import { templateIn } from './template_status.ts'

/** What is wanted of each table; sets, because messages of a turn often want the same. */
export class Wants {
  readonly identities = new Set<string>()
  readonly answers = new Map<string, { route: string; key: string }>()
  readonly users = new Map<string, Set<string>>()
  readonly bsuids = new Set<string>()
  readonly files = new Set<string>()
  /** By id. */
  readonly contacts = new Set<string>()
  readonly messages = new Set<string>()
  readonly provided = new Set<string>()
  /** People who have received or read everything up to some moment, by `watermarkKey`. */
  readonly watermarks = new Map<string, Watermark>()
  /** Ids of the provider that messages have just got. */
  readonly early = new Set<string>()
  /** Contacts whose messages were read. */
  readonly readers = new Set<string>()
  readonly templates = new Map<string, { channel_id: string; name: string; language: string }>()
  readonly subscriptions = new Set<string>()
  readonly deliveries = new Set<string>()
  /** Ids of either kind. */
  readonly flows = new Set<string>()
  readonly broadcasts = new Set<string>()
  /** The turn forgets the templates it knows, so that those of its messages are read again. */
  forgets_templates = false
  /** Names of templates that webhooks speak of. */
  readonly templateNames = new Set<string>()
  /** Channels of which all templates are wanted. */
  readonly listed = new Set<string>()
  readonly tokens = new Set<string>()
  readonly channels = new Set<string>()
  limits = false
  readonly crm = new CrmWants()

  /** Who may become a contact, and of which channel. */
  readonly newcomers: { channel_type: string; channel_id: string; user_id: string }[] = []

  user(channel_type: string, user_id: string, channel_ids: Iterable<string>): void {
    for (const channel_id of channel_ids) this.newcomers.push({ channel_type, channel_id, user_id })
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

/** The person a watermark is about. */
type Watermark = { channel_id: string; channel_type: string; user_id: string }

export function watermarkKey(channel_id: string, { user_id }: { user_id: string }): string {
  return `${channel_id} ${user_id}`
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

/** `channel_id`: the one that is named; else it is the only active one of its type, or one of several. */
function wantPerson(wants: Wants, state: ProjectState, channel: string, to: string, channel_id?: string): void {
  const { user_id, bsuid } = personOf(channel, to)
  if (user_id) wants.user(channel, user_id, channel_id ? [channel_id] : activeChannels(state, channel))
  if (bsuid) wants.bsuids.add(bsuid)
}

function* activeChannels({ channels }: ProjectState, channel_type: string): Iterable<string> {
  for (const channel of channels.values()) {
    if (channel.is_active && channel.channel_type === channel_type) yield channel.id
  }
}

function wantConclusion(wants: Wants, { claim, changes }: Conclusion, state: ProjectState): void {
  if (claim) wants.answers.set(`${claim.idempotency.route} ${claim.idempotency.key}`, claim.idempotency)
  for (const change of changes) {
    if (change.type === 'create_broadcast') {
      const { id, channel_id, template_name: name, language } = change
      wants.broadcasts.add(id)
      wantTemplate(wants, state, channel_id, { name, language })
    } else if (change.type === 'read_messages') wantRead(wants, change)
    else wants.flows.add(change.type === 'register_flow' ? change.provider_flow_id : change.id)
  }
}

function wantRead(wants: Wants, { chat_user, message_id }: ReadMessages): void {
  wants.contacts.add(chat_user)
  if (message_id === undefined) return
  wants.readers.add(chat_user)
  wants.messages.add(message_id)
}

function wantSend(wants: Wants, command: SendMessage, state: ProjectState): void {
  wantPerson(wants, state, command.channel, command.to, command.channel_id)
  if (command.context) wants.reference(command.context.message_id)
  const { message } = command
  for (const media_id of wantedFiles(message).keys()) wants.files.add(media_id)
  if (message.type === 'reaction') wants.reference(message.message_id)
  if (message.type === 'flow') wants.flows.add(message.flow_id)
  wantTemplateIn(wants, state, command.channel, message)
}

/** On each channel that may be the one. */
function wantTemplateIn(wants: Wants, state: ProjectState, channel_type: string, message: { type: string }): void {
  const template = templateIn(message)
  if (!template) return
  for (const channel of state.channels.values()) {
    if (channel.channel_type === channel_type) wantTemplate(wants, state, channel.id, template)
  }
}

function wantRaw(wants: Wants, { channel_id, payload }: SendRaw, state: ProjectState): void {
  wantPerson(wants, state, 'whatsapp', payload.to ?? payload.recipient!, channel_id)
  wantTemplateIn(wants, state, 'whatsapp', payload)
}

function wantTemplate(
  wants: Wants,
  state: ProjectState,
  channel_id: string,
  { name, language }: { name: string; language: string },
): void {
  const key = templateKey(channel_id, name, language)
  if (wants.forgets_templates || !state.templates.has(key)) wants.templates.set(key, { channel_id, name, language })
}

function wantSlice(
  wants: Wants,
  { channel_id, template_name: name, language, recipients }: BulkSlice,
  state: ProjectState,
) {
  wantTemplate(wants, state, channel_id, { name, language })
  for (const { phone } of recipients) wantPerson(wants, state, 'whatsapp', phone, channel_id)
}

function wantInbound(wants: Wants, call: InboundCall | undefined): void {
  for (const { channel, item } of call?.said ?? []) {
    if (item.kind === 'message') {
      if (isOfPerson(item)) wants.crm.any = true
      for (const { user_id, bsuid } of item.becomes ? [item, item.becomes] : [item]) {
        if (user_id) wants.user(channel.channel_type, user_id, [channel.id])
        if (bsuid) wants.bsuids.add(bsuid)
      }
      wants.provided.add(item.provider_message_id)
      const keyboard = tokenIsOf(item)
      if (keyboard !== undefined) wants.provided.add(keyboard)
    } else if (item.kind === 'status') {
      if (item.opaque?.startsWith('msg_')) wants.messages.add(item.opaque)
      if (item.provider_message_id) wants.provided.add(item.provider_message_id)
      if (item.up_to) {
        const { user_id } = item.up_to
        const watermark = { channel_id: channel.id, channel_type: channel.channel_type, user_id }
        wants.watermarks.set(watermarkKey(channel.id, watermark), watermark)
      }
    } else if (item.kind === 'template') wants.templateNames.add(item.name)
    else if (item.kind === 'flow') wants.flows.add(item.provider_flow_id)
  }
}

export function wantsOf(
  messages: ProjectMessage[],
  calls: Map<ProjectMessage, InboundCall>,
  state: ProjectState,
): Wants {
  const wants = new Wants()
  wants.forgets_templates = messages.some(
    (message) => message.type === 'refresh' && (message.what === 'channel' || message.what === 'template'),
  )
  for (const message of messages) {
    switch (message.type) {
      case 'request': {
        const { command, idempotency } = message
        if (idempotency) wants.answers.set(`${idempotency.route} ${idempotency.key}`, idempotency)
        if (command?.type === 'read_identity') wants.identities.add(message.token_id)
        else if (command?.type === 'send_message') wantSend(wants, command, state)
        else if (command?.type === 'send_raw') wantRaw(wants, command, state)
        else if (command && isCrmCommand(command)) wantCrmCommand(wants.crm, command)
        else if (command && 'id' in command) wants.subscriptions.add(command.id)
        if (command?.type === 'create_contact') {
          wants.user(command.channel_type, personOf(command.channel_type, command.user_id).user_id!, [])
        }
        if (command?.type === 'redeliver_webhook') wants.deliveries.add(command.delivery_id)
        break
      }
      case 'inbound':
        wantInbound(wants, calls.get(message))
        break
      case 'conclude':
        wantConclusion(wants, message, state)
        break
      case 'bulk_slice':
        wantSlice(wants, message, state)
        break
      case 'templates_listed':
        wants.listed.add(message.channel_id)
        break
      case 'messages_accepted':
        for (const { message_id, provider_message_id, early_statuses } of message.items) {
          wants.messages.add(message_id)
          if (early_statuses !== false && provider_message_id !== '') wants.early.add(provider_message_id)
        }
        break
      case 'messages_refused':
        for (const { message_id } of message.items) wants.messages.add(message_id)
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
