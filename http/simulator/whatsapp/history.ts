/**
 * The history of the phone that a number is paired with: `smb_app_data`, and the webhook fields `history` and
 * `smb_app_state_sync`. The phone of the simulator has a few conversations of its own.
 */
import { type Answer, ControlRefusal, ok } from '../answer.ts'
import type { WhatsAppNumber } from '../options.ts'
import type { WebhookOutcome } from '../webhook_sender.ts'
import type { Account } from './account.ts'
import { messageId } from './messages/message_id.ts'
import type { Json } from './requests/check.ts'
import { GraphError } from './requests/errors.ts'

const DAY_S = 86_400
/** Days at which the phases of a history begin, counted back from now. */
const PHASES = [0, 1, 90] as const
const SYNCS = ['history', 'smb_app_state_sync']
/** Messages of a thread in one call. */
const MAX_IN_CALL = 1_000
const MAX_MESSAGES = 200_000
const MAX_PEOPLE = 10_000

type Person = { phone: string; name: string }

const PEOPLE: Person[] = [
  { phone: '15551230001', name: 'Ana García' },
  { phone: '15551230002', name: 'Bruno from the bakery' },
]
const TEXTS = ['Do you deliver on Sundays?', 'Yes, until noon.', 'Two loaves then, please', 'They are on the list.']

/** `POST smb_app_data`. Throws GraphError. */
export function syncPhone(account: Account, number: WhatsAppNumber, { sync_type }: Json): Answer {
  if (typeof sync_type !== 'string' || !SYNCS.includes(sync_type))
    throw new GraphError(100, { details: `sync_type must be one of ${SYNCS.join(', ')}.` })
  const key = `${number.phone_number_id} ${sync_type}`
  if (account.synced.has(key))
    throw new GraphError(100, { details: `smb_app_data was already requested for this number: ${sync_type}.` })
  account.synced.add(key)
  account.world.schedule.after(0, () => {
    if (sync_type === 'history') for (const phase of [0, 1, 2]) tellPhase(account, number, PEOPLE, TEXTS.length, phase)
    else tellNames(account, number, PEOPLE, 'add')
  })
  return ok({ messaging_product: 'whatsapp', request_id: messageId(sync_type) })
}

/** `POST /_control/history`. Throws ControlRefusal. */
export async function injectHistory(account: Account, body: Json): Promise<Answer> {
  const number =
    body.phone_number_id === undefined
      ? account.numbers.all().find(({ webhook_url }) => webhook_url)
      : account.numbers.get(String(body.phone_number_id))
  if (!number?.webhook_url)
    throw new ControlRefusal('There is no such number, or it has no webhook_url.', 409, 'NO_WEBHOOK')
  if (body.declined === true) {
    const errors = [{ code: 2593109, title: DECLINED, message: DECLINED, error_data: { details: DECLINED } }]
    return ok({ messages: 0, webhook: await tell(account, number, 'history', 'history', { errors }) })
  }
  const people = wholeIn(body, 'people', 2, MAX_PEOPLE)
  const messages = wholeIn(body, 'messages', 4, MAX_MESSAGES)
  const all = Array.from({ length: people }, (_, index) => ({
    phone: String(15_552_000_000 + index),
    name: `Person ${index + 1}`,
  }))
  const each = Math.ceil(messages / people)
  let webhook = await tellNames(account, number, all, 'add')
  for (const phase of [0, 1, 2]) webhook = await tellPhase(account, number, all, each, phase)
  return ok({ messages: each * people, webhook })
}

const DECLINED = 'History sync is turned off by the business from the WhatsApp Business App'

function wholeIn(body: Json, field: string, usual: number, most: number): number {
  const value = body[field] ?? usual
  if (!Number.isInteger(value) || (value as number) < 1 || (value as number) > most)
    throw new ControlRefusal(`${field} must be a whole number from 1 to ${most}.`)
  return value as number
}

function tellNames(account: Account, number: WhatsAppNumber, people: Person[], action: string) {
  const timestamp = String(Math.floor(account.world.now() / 1000))
  const entries = people.map(({ phone, name }) => ({
    type: 'contact',
    contact: { full_name: name, first_name: name.split(' ')[0], phone_number: phone },
    action,
    metadata: { timestamp },
  }))
  return tell(account, number, 'smb_app_state_sync', 'state_sync', ...entries)
}

/** Sends a third of each thread. Meta sends the newest messages first, and says how far it has come with each call. */
async function tellPhase(
  account: Account,
  number: WhatsAppNumber,
  people: Person[],
  each: number,
  phase: number,
): Promise<WebhookOutcome> {
  const now = Math.floor(account.world.now() / 1000)
  const own = number.display_phone_number.replace(/\D/g, '')
  const [first, last] = [Math.floor((each * phase) / 3), Math.floor((each * (phase + 1)) / 3)]
  const threads = people.map(({ phone }) => ({
    id: phone,
    messages: Array.from({ length: last - first }, (_, index) => {
      const place = first + index
      const is_own = place % 2 === 0
      return {
        from: is_own ? own : phone,
        ...(is_own && { to: phone }),
        id: messageId(phone),
        timestamp: String(now - PHASES[phase]! * DAY_S - (place + 1) * 60),
        type: 'text',
        text: { body: TEXTS[TEXTS.length - 1 - (place % TEXTS.length)] },
        history_context: { status: is_own ? 'READ' : 'DELIVERED', ...(is_own && { from_me: true }) },
      }
    }),
  }))
  const calls = callsOf(threads)
  let webhook!: WebhookOutcome
  for (const [index, part] of calls.entries()) {
    const progress = Math.floor(((phase + (index + 1) / calls.length) / 3) * 100)
    const metadata = {
      phase,
      chunk_order: index + 1,
      progress: phase === 2 && index + 1 === calls.length ? 100 : progress,
    }
    webhook = await tell(account, number, 'history', 'history', { metadata, threads: part })
  }
  return webhook
}

type Thread = { id: string; messages: Json[] }

function callsOf(threads: Thread[]): Thread[][] {
  const calls: Thread[][] = [[]]
  let count = 0
  for (const thread of threads) {
    for (let at = 0; at < thread.messages.length; at += MAX_IN_CALL) {
      const messages = thread.messages.slice(at, at + MAX_IN_CALL)
      if (count > 0 && count + messages.length > MAX_IN_CALL) {
        calls.push([])
        count = 0
      }
      calls.at(-1)!.push({ id: thread.id, messages })
      count += messages.length
    }
  }
  return calls
}

function tell(
  { callbacks }: Account,
  number: WhatsAppNumber,
  field: 'history' | 'smb_app_state_sync',
  list: 'history' | 'state_sync',
  ...items: Json[]
): Promise<WebhookOutcome> {
  const metadata = {
    display_phone_number: number.display_phone_number.replace(/\D/g, ''),
    phone_number_id: number.phone_number_id,
  }
  const item = { messaging_product: 'whatsapp', metadata, [list]: items }
  return new Promise((resolve) => callbacks.notify({ number, field, item, label: field }, resolve))
}
