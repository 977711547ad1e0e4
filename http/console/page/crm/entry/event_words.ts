/** Events of a timeline in words: people and stages by their names, never by their ids. No DOM. */

import type { Definitions } from '../../records/definitions.ts'
import type { AnyRecord } from '../../records/record.ts'
import { amountText } from '../record/amount.ts'
import { nameOfStage } from '../rows.ts'
import { momentText } from './moments.ts'
import { holders } from './words.ts'

/** Events of Parley without a type that projects could name. */
const NAMES: Partial<Record<string, string>> = {
  'ticket.snoozed': 'Ticket snoozed',
  'ticket.unsnoozed': 'Snooze ended',
  'thread.moved': 'Conversation handed over',
  'ticket.handled_by_changed': 'Taken over or handed back',
  'assistant.handed_over': 'Handed over by an assistant',
  'thread.requested': 'Another app asks for the conversation',
}
const LABELS: Partial<Record<string, string>> = {
  user_id: 'By',
  assigned_to: 'To',
  previous_assigned_to: 'Before',
  stage_id: 'Stage',
  previous_stage_id: 'Before',
  snoozed_until: 'Until',
  holder: 'To',
  handled_by: 'Answered by',
  previous_handled_by: 'Before',
  previous_holder: 'Before',
  starts_at: 'Starts',
  ends_at: 'Ends',
}
/** Fields of Parley's own events that the name of the event or another field says already. */
const LEFT_OUT = ['number', 'status', 'timezone', 'currency']
const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
const REASON_SHOWN = 'due'

/**
 * The name of an event, and what its data says: a label and a text each. Data of clients is shown as it is; of Parley's own
 * events, ids become names or are left out.
 */
export function eventInWords(
  event_type: string,
  data: AnyRecord,
  definitions: Definitions | null | undefined,
): { name: string; fields: [string, string][] } {
  const type = definitions?.event_types.find(({ key }) => key === event_type)
  const is_own = !event_type.startsWith('custom.')
  const fields = Object.entries(data).flatMap(([name, value]) => {
    const text = is_own ? ownText(name, value, definitions, data) : customText(value)
    return text === undefined ? [] : [[LABELS[name] ?? words(name), text] as [string, string]]
  })
  return { name: type?.name ?? NAMES[event_type] ?? words(event_type), fields }
}

function ownText(name: string, value: unknown, definitions: Definitions | null | undefined, data: AnyRecord) {
  switch (name) {
    case 'user_id':
      return value ? nameOfUser(value, definitions) : undefined
    case 'assigned_to':
      return value ? nameOfUser(value, definitions) : 'Nobody'
    case 'previous_assigned_to':
      return value ? nameOfUser(value, definitions) : undefined
    case 'stage_id':
    case 'previous_stage_id':
      return value ? (nameOfStage(value, definitions) ?? 'A former stage') : undefined
    case 'holder':
    case 'previous_holder':
      return typeof value === 'string' ? (holders[value] ?? plainText(value)) : undefined
    case 'snoozed_until':
      return typeof value === 'string' ? momentText(new Date(value)) : 'The person writes'
    case 'reason':
      if (data.assistant_id && typeof value === 'string') return words(value)
      return value === REASON_SHOWN ? 'Its time came' : undefined
    case 'handled_by':
    case 'previous_handled_by':
      return value ? words(String(value)) : undefined
    case 'amount':
      return typeof value === 'number'
        ? amountText(value, /^[A-Z]{3}$/.test(data.currency) ? data.currency : null)
        : undefined
    case 'modality':
    case 'resolution':
      return typeof value === 'string' ? words(value.replace('-', ' ')) : undefined
    default:
      return name.endsWith('_id') || LEFT_OUT.includes(name) ? undefined : plainText(value)
  }
}

/** Times are those of the agent's clock. */
function plainText(value: unknown) {
  if (typeof value === 'string' && MOMENT.test(value)) return momentText(new Date(value))
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  return ['string', 'number'].includes(typeof value) ? String(value) : undefined
}

/** Events of projects may hold lists and objects. */
function customText(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return plainText(value)
  return Array.isArray(value) ? value.map((one) => customText(one) ?? '–').join(', ') : JSON.stringify(value)
}

function nameOfUser(id: unknown, definitions: Definitions | null | undefined) {
  return definitions?.users.find(({ _id }) => _id === id)?.full_name ?? 'A former user'
}

/** `custom.order_shipped` in words. */
function words(key: string) {
  return key
    .replace(/^(?:custom|system)\./, '')
    .replaceAll(/[._]/g, ' ')
    .replace(/^./, (letter) => letter.toUpperCase())
}
