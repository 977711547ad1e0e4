import { newDate } from '../../../storage/mod.ts'
import { echoOf } from '../echo.ts'
import { messageOf } from '../graph/failure.ts'
import { ignoredAccount, ignoredField } from '../ignored.ts'
import { isObject, type Json, objects, parseCall, textOf } from '../json.ts'
import type { Inbound, InboundConsent, InboundIgnored, InboundStatus, InboundTemplate } from '../provider.ts'
import { OPTED_OUT } from './failure.ts'
import { toHistory, toNames } from './history.ts'
import { toMessage, unknownTypeOf } from './inbound_message.ts'
import { rejectionOf } from './listed_template.ts'
import { bothIds, digits, type People, peopleOf, personNamed, scopedId } from './person_ids.ts'
import { inStandby, standbyValue, toHandover, toStandbyEchoes } from './threads.ts'
import { timeOf, withTexts } from './webhook_fields.ts'

/**
 * Reads a webhook call. Unknown parts are told of (`ignored`) or passed on unchanged; nothing in a call with the right outer form
 * makes it unreadable. Undefined when it is not JSON or not a call about WhatsApp. `now` replaces missing times. An app
 * has one address for all accounts that share it: entries of accounts other than `business_account_id` do not concern
 * the channel. Messages and statuses name their number.
 */
export function parseWebhook(
  raw: string,
  now: Date = newDate(),
  business_account_id: string | null = null,
): Inbound[] | undefined {
  const call = parseCall(raw)
  if (!isObject(call) || call.object !== 'whatsapp_business_account') return undefined
  return objects(call.entry).flatMap((entry) =>
    objects(entry.changes).flatMap((change) => {
      const about = accountOf(entry, change)
      const is_other = business_account_id !== null && about !== null && about !== business_account_id
      const items = toItems(change, now)
      if (!is_other) return items
      const concerned = items.filter((item) => !isOfAccount(item))
      return concerned.length === items.length ? items : [...concerned, ignoredAccount(about)]
    }),
  )
}

/** True for news of the whole account, and not of one of its numbers. */
function isOfAccount(item: Inbound): boolean {
  if (item.kind === 'history') return item.ends_pairing === true
  return item.kind === 'account' || item.kind === 'template' || item.kind === 'ignored'
}

/** Calls to a partner have the partner's own id in the outer entry. */
function accountOf(entry: Json, { value }: Json): string | null {
  const info = isObject(value) && isObject(value.waba_info) ? value.waba_info : {}
  return textOf(info.waba_id) ?? textOf(entry.id)
}

function toItems(change: Json, now: Date): Inbound[] {
  const value = isObject(change.value) ? change.value : {}
  const metadata = isObject(value.metadata) ? value.metadata : {}
  const account = textOf(metadata.phone_number_id)
  const field = textOf(change.field) ?? 'unnamed'
  const people = peopleOf(value)
  switch (field) {
    case 'messages':
      return [
        ...objects(value.messages).flatMap((message) => {
          const item = toMessage(message, value, people, account, now)
          if (!item) return [ignoredField('messages', account, message)]
          const kind = unknownTypeOf(message)
          return kind === undefined ? [item] : [item, ignoredField(`messages.${kind}`, account, message)]
        }),
        ...objects(value.statuses).flatMap((status) => toStatus(status, people, account, now)),
        ...besideOf(value).map((name) => ignoredField(`messages.${name}`, account, value[name])),
      ]
    case 'smb_message_echoes':
      if (objects(value.message_echoes).length === 0) return [ignoredField(field, account, value)]
      return [
        ...objects(value.message_echoes).flatMap((echo) => toEcho(echo, value, people, account, now)),
        ...besideOf(value).map((name) => ignoredField(`smb_message_echoes.${name}`, account, value[name])),
      ]
    case 'history':
      return toHistory(value, people, account)
    case 'smb_app_state_sync':
      return toNames(value, account)
    case 'standby': {
      const standby = standbyValue(value)
      if (!standby) return [ignoredField(field, account, value)]
      const items = toItems({ field: 'messages', value: standby }, now)
      return [...inStandby(items), ...toStandbyEchoes(standby, peopleOf(standby), account, now)]
    }
    case 'messaging_handovers':
      return toHandover(value, now)
    case 'message_template_status_update':
    case 'message_template_quality_update':
    case 'template_category_update':
      return toTemplate(field, value)
    case 'flows':
      return toFlow(value)
    case 'user_preferences':
      return objects(value.user_preferences).map(
        (said) => toConsent(said, people, account, now) ?? ignoredField('user_preferences', account, said),
      )
    case 'account_update':
      return toAccount(value)
    default:
      return [ignoredField(field, account, value)]
  }
}

const READ = new Set(['messaging_product', 'metadata', 'contacts', 'messages', 'statuses', 'message_echoes', 'errors'])

/** Fields beside messages and statuses. Errors belong to the messages, unless there are none. */
function besideOf(value: Json): string[] {
  const is_alone = objects(value.messages).length === 0 && objects(value.errors).length > 0
  return [...Object.keys(value).filter((field) => !READ.has(field)), ...(is_alone ? ['errors'] : [])]
}

/** A message that the business wrote in its app on the phone. It has the person in the fields of the recipient. */
function toEcho(echo: Json, value: Json, people: People, account: string | null, now: Date): Inbound[] {
  const { from: _, to, to_user_id, to_parent_user_id, ...content } = echo
  const reversed = {
    ...content,
    ...(to !== undefined && { from: to }),
    ...(to_user_id !== undefined && { from_user_id: to_user_id }),
    ...(to_parent_user_id !== undefined && { from_parent_user_id: to_parent_user_id }),
  }
  const item = toMessage(reversed, value, people, account, now)
  if (!item) return [ignoredField('smb_message_echoes', account, echo)]
  const kind = unknownTypeOf(echo)
  const counted = kind === undefined ? [] : [ignoredField(`smb_message_echoes.${kind}`, account, echo)]
  return [echoOf(item, { origin: 'phone' }), ...counted]
}

function toTemplate(field: string, value: Json): Inbound[] {
  const name = textOf(value.message_template_name)
  // Webhooks write `en-US`, lists of templates and sends `en_US`.
  const language = textOf(value.message_template_language)?.replace('-', '_') ?? null
  const change = TEMPLATE_CHANGES[field]!(value)
  if (name === null || language === null || change === undefined) return [ignoredField(field, null, value)]
  return [{ kind: 'template', account: null, name, language, ...change, value }]
}

type TemplateChange = Pick<InboundTemplate, 'status' | 'facts'>

/** Undefined when the field does not say what changed. */
const TEMPLATE_CHANGES: Record<string, (value: Json) => TemplateChange | undefined> = {
  message_template_status_update: ({ event, reason }) => {
    const status = textOf(event)
    return status === null ? undefined : { status, facts: { rejected_reason: rejectionOf(status, reason) } }
  },
  message_template_quality_update: ({ new_quality_score }) => {
    const quality = textOf(new_quality_score)
    return quality === null ? undefined : { status: null, facts: { quality } }
  },
  template_category_update: ({ new_category, previous_category, correct_category }) => {
    const category = textOf(new_category)
    const next = textOf(correct_category)
    // An announcement names the present category as the new one.
    if (next !== null) return { status: null, facts: { next_category: next } }
    if (category === null) return undefined
    return { status: null, facts: { category, previous_category: textOf(previous_category), next_category: null } }
  },
}

function toFlow(value: Json): Inbound[] {
  const provider_flow_id = textOf(value.flow_id)
  if (provider_flow_id === null) return [ignoredField('flows', null, value)]
  const status = textOf(value.new_status)
  return [{ kind: 'flow', account: null, provider_flow_id, event: textOf(value.event) ?? 'unknown', status, value }]
}

const MARKETING: Record<string, InboundConsent['marketing']> = { stop: 'stopped', resume: 'granted' }

/** The person told WhatsApp whether this business may send marketing messages. */
function toConsent(said: Json, people: People, account: string | null, now: Date): InboundConsent | undefined {
  const word = textOf(said.value) ?? ''
  const marketing = Object.hasOwn(MARKETING, word) ? MARKETING[word] : undefined
  if (marketing === undefined || said.category !== 'marketing_messages') return undefined
  const { all } = people
  const named = personNamed(people, digits(said.wa_id), textOf(said.wa_id) ?? textOf(said.user_id))
  const contact = named ?? (all.length === 1 ? all[0] : undefined)
  const ids = [said.wa_id, said.user_id, contact?.wa_id, contact?.user_id]
  const user_id = ids.map(digits).find(Boolean) ?? null
  const bsuid = ids.map(scopedId).find(Boolean) ?? null
  if (user_id === null && bsuid === null) return undefined
  const profile = isObject(contact?.profile) ? contact.profile : {}
  const at = timeOf(said.timestamp, now)
  return { kind: 'consent', account, user_id, bsuid, name: textOf(profile.name), marketing, at }
}

/** Events that stop an account's messages, and events that let them go on. Others change nothing for its channels. */
const CUT_OFF = new Set(['DISABLED_UPDATE', 'ACCOUNT_DELETED', 'PARTNER_REMOVED', 'ACCOUNT_OFFBOARDED'])
/** Those of them after which the phone has to be paired anew. */
const UNPAIRED = new Set(['ACCOUNT_DELETED', 'PARTNER_REMOVED', 'ACCOUNT_OFFBOARDED'])
const END_OF_PAIRING: Inbound = {
  ...{ kind: 'history', account: null, phase: null, progress: null, error: null, parts: [] },
  ends_pairing: true,
}
const BACK = new Set(['ACCOUNT_RECONNECTED', 'PARTNER_ADDED'])

function toAccount(value: Json): Inbound[] {
  const event = textOf(value.event) ?? ''
  const ban = isObject(value.ban_info) ? textOf(value.ban_info.waba_ban_state) : null
  if (ban === 'REINSTATE' || BACK.has(event)) {
    return [{ kind: 'account', account: null, status: 'connected', reason: null }]
  }
  if (!CUT_OFF.has(event))
    return [ignoredField(event === '' ? 'account_update' : `account_update.${event}`, null, value)]
  const reason = ban === null ? `The provider reports ${event}.` : `The provider reports ${event}: ${ban}.`
  const said: Inbound = { kind: 'account', account: null, status: 'disconnected', reason }
  return UNPAIRED.has(event) ? [said, END_OF_PAIRING] : [said]
}

const STATUSES: Record<string, InboundStatus['status']> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  // A voice note that was played counts as read.
  played: 'read',
  failed: 'failed',
}

function toStatus(raw: Json, people: People, account: string | null, now: Date): (InboundStatus | InboundIgnored)[] {
  const provider_message_id = textOf(raw.id)
  const word = textOf(raw.status) ?? ''
  const status = Object.hasOwn(STATUSES, word) ? STATUSES[word] : undefined
  if (provider_message_id === null || status === undefined) {
    return [ignoredField(word === '' ? 'statuses' : `statuses.${word}`, account, raw)]
  }
  const [error] = objects(raw.errors)
  const at = timeOf(raw.timestamp, now)
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  const pricing = pricingOf(raw.pricing)
  return [
    {
      kind: 'status',
      account,
      provider_message_id,
      status,
      at,
      opaque: textOf(raw.biz_opaque_callback_data),
      error: error ? { code: textOf(error.code) ?? 'unknown', message: messageOf(error) } : null,
      // A read message was delivered before, with the same ids.
      ...(status !== 'read' && recipientIds(raw, people)),
      ...(pricing && { pricing }),
      ...(error && textOf(error.code) === OPTED_OUT && { opted_out: recipientOf(raw) }),
      raw: withTexts({ ...raw, timestamp }, 'id', 'recipient_id', 'biz_opaque_callback_data'),
    },
  ]
}

/** Both ids of the recipient. Those of a group and of its members prove nothing. */
function recipientIds(raw: Json, people: People): Pick<InboundStatus, 'proven'> {
  const { recipient_type, recipient_participant_id, recipient_id, recipient_user_id } = raw
  if (recipient_type === 'group' || recipient_participant_id !== undefined) return {}
  const ids = [recipient_id, recipient_user_id]
  const contact = personNamed(people, digits(recipient_id), ids.map(scopedId).find(Boolean) ?? null)
  return bothIds([...ids, contact?.wa_id, contact?.user_id])
}

/** Some calls write `authentication-international`, some with an underline. Older ones say nothing of `billable`. */
function pricingOf(pricing: unknown): InboundStatus['pricing'] {
  if (!isObject(pricing)) return undefined
  const category = textOf(pricing.category)?.toLowerCase().replaceAll('-', '_') ?? ''
  if (!CATEGORY.test(category)) return undefined
  const { billable, type } = pricing
  const is_free = typeof type === 'string' && type.startsWith('free_')
  return { category, billable: typeof billable === 'boolean' ? billable : !is_free }
}

const CATEGORY = /^[a-z_]{1,60}$/

function recipientOf({ recipient_id, recipient_user_id }: Json): InboundStatus['opted_out'] {
  const ids = [recipient_id, recipient_user_id]
  return { user_id: ids.map(digits).find(Boolean) ?? null, bsuid: ids.map(scopedId).find(Boolean) ?? null }
}
