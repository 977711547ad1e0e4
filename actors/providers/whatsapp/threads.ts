/**
 * Conversations that Meta's own agent, or another app of the business, holds. Their messages come in the field `standby`,
 * those of the app as the body of its send; `messaging_handovers` tells that a conversation went from one app to another.
 */
import { echoOf } from '../echo.ts'
import { ignoredField } from '../ignored.ts'
import { isObject, type Json, objects, textOf } from '../json.ts'
import type { Inbound, InboundMessage, InboundThread, Standby, ThreadMove } from '../provider.ts'
import { toMessage, unknownTypeOf } from './inbound_message.ts'
import { digits, type People, scopedId } from './person_ids.ts'
import { timeOf } from './webhook_fields.ts'

/** The field is there for Meta's agent first of all, and names no app. */
const STANDBY: Standby = { holder: 'meta_agent', is_guess: true }

/** The value of `standby` in the form of that of `messages`; undefined without one. */
export function standbyValue({ standby, ...around }: Json): Json | undefined {
  return isObject(standby) ? { ...around, ...standby } : undefined
}

/** The items of the value, read as if it had come in `messages`. */
export function inStandby(items: Inbound[]): Inbound[] {
  return items.map((item) => {
    if (item.kind === 'message') return { ...item, standby: STANDBY }
    return item.kind === 'ignored' ? { ...item, name: item.name.replace(/^messages/, 'standby') } : item
  })
}

/** Fields of the body of a send that say nothing of its content. */
const OF_SEND = [
  'messaging_product',
  'recipient_type',
  'to',
  'recipient',
  'context',
  'biz_opaque_callback_data',
] as const
/** The messages of the app that holds the conversation. */
export function toStandbyEchoes(value: Json, people: People, account: string | null, now: Date): Inbound[] {
  return objects(value.message_echoes).flatMap((echo) => {
    const item = toStandbyEcho(echo, value, people, account, now)
    if (!item) return [ignoredField('standby', account, echo)]
    const kind = unknownTypeOf(echo.message as Json)
    const counted = kind === undefined ? [] : [ignoredField(`standby.${kind}`, account, echo)]
    return [echoOf(item, { origin: 'meta_agent' }), ...counted]
  })
}

function toStandbyEcho(
  { id, timestamp, message }: Json,
  value: Json,
  people: People,
  account: string | null,
  now: Date,
): InboundMessage | undefined {
  if (!isObject(message)) return undefined
  const { to, recipient, context } = message
  const quoted = isObject(context) ? textOf(context.message_id) : null
  const content: Json = Object.fromEntries(
    Object.entries(message).filter(([field]) => !OF_SEND.includes(field as 'to')),
  )
  const said = {
    ...content,
    id,
    timestamp,
    from: digits(to) ?? digits(recipient),
    from_user_id: scopedId(recipient) ?? scopedId(to),
    ...(quoted !== null && { context: { id: quoted } }),
  }
  const item = toMessage(said, value, people, account, now)
  if (!item) return undefined
  const { language } = item.message
  const code = item.type === 'template' && isObject(language) ? { language: textOf(language.code) } : {}
  return { ...item, message: { ...item.message, ...code }, standby: STANDBY }
}

/** The role of Meta's own agent; all others are apps of partners. */
const AGENT = 'ai_agent'

/** The app that holds a conversation after a change of this one. */
export function holderAfter(move: ThreadMove): Holder | 'nobody' {
  if (move.action === 'take') return 'parley'
  if (move.action === 'release') return 'nobody'
  return move.to === AGENT ? 'meta_agent' : 'app'
}

/** A conversation went to another app, or came to this one. */
export function toHandover(value: Json, now: Date): Inbound[] {
  const recipient = isObject(value.recipient) ? value.recipient : {}
  const metadata = isObject(value.metadata) ? value.metadata : {}
  const account = textOf(recipient.phone_number_id) ?? textOf(metadata.phone_number_id)
  const sender = isObject(value.sender) ? value.sender : {}
  const ids = [sender.phone_number, sender.wa_id, sender.user_id]
  const user_id = ids.map(digits).find(Boolean) ?? null
  const bsuid = ids.map(scopedId).find(Boolean) ?? null
  const about = { kind: 'thread', account, user_id, bsuid, name: null, at: timeOf(value.timestamp, now) } as const
  const change = changeIn(value)
  if (change === undefined || (user_id === null && bsuid === null)) {
    return [ignoredField('messaging_handovers', account, value)]
  }
  return [{ ...about, ...change }]
}

/** Meta tells an app that it got a conversation (`control_passed`), or lost one (`control_taken`). */
function changeIn(
  value: Json,
): (Pick<InboundThread, 'note'> & { event: 'passed' | 'taken'; holder: Holder }) | undefined {
  const { control_passed: passed, control_taken: taken } = value
  if (isObject(passed)) {
    return { event: 'passed', holder: passed.new_owner_role === AGENT ? 'meta_agent' : 'parley', note: noteOf(passed) }
  }
  if (!isObject(taken)) return undefined
  return { event: 'taken', holder: taken.new_owner_role === AGENT ? 'meta_agent' : 'app', note: noteOf(taken) }
}

type Holder = 'parley' | 'meta_agent' | 'app'

/** The words of the app that let go: a summary of the conversation, else what its program wrote. */
function noteOf({ metadata, conversation_context: context }: Json): string | null {
  const summary = isObject(context) && isObject(context.summary) ? textOf(context.summary.text) : null
  return summary ?? textOf(metadata)
}
