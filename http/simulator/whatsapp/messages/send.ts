import { type Answer, ok, type SimulatorRequest } from '../../answer.ts'
import type { Behaviour } from '../../faults.ts'
import type { WhatsAppNumber } from '../../options.ts'
import type { World } from '../../provider.ts'
import type { Account } from '../account.ts'
import { behave } from '../requests/behave.ts'
import type { Json } from '../requests/check.ts'
import { GraphError } from '../requests/errors.ts'
import { parseJson } from '../requests/request_body.ts'
import { checkTemplateMessage } from '../templates/template_message.ts'
import { type CheckedMessage, checkMessage, checkRead } from './message.ts'
import type { MessageContext } from './message_context.ts'
import { messageId } from './message_id.ts'
import { scheduleStatuses } from './statuses.ts'

/** Read receipts kept for GET /_control/reads. */
const READS_KEPT = 1000
const WINDOW_CLOSED = 131047

/** POST /{phone-number-id}/messages: a send, or a read receipt with an optional typing indicator. Throws GraphError. */
export function postMessages(account: Account, number: WhatsAppNumber, request: SimulatorRequest): Answer {
  const body = parseJson(request.body)
  if (body.messaging_product !== 'whatsapp')
    throw new GraphError(100, { message: '(#100) The parameter messaging_product is required.' })
  return body.status === undefined || body.status === null
    ? send(account, number, body)
    : markRead(account, number, body)
}

function send(account: Account, number: WhatsAppNumber, body: Json): Answer {
  const { world, magic, limits } = account
  let category = 'service'
  const context: MessageContext = {
    hasMedia: (id) => account.media.find(id) !== undefined,
    checkTemplate: (node) => {
      const find = (name: string, language: string) =>
        account.templates.find(number.business_account_id, name, language)
      category = checkTemplateMessage(node, find).category.toLowerCase()
    },
    checkFlow: (flow_id, mode) => {
      const status = account.flows.byId(flow_id)?.status
      if (status === 'DRAFT' && mode !== 'draft')
        throw new GraphError(131009, { details: `Flow ${flow_id} is not published; send it with mode "draft".` })
      if (status === 'BLOCKED') throw new GraphError(132068)
      if (status === 'THROTTLED') throw new GraphError(132069)
    },
  }
  const message = checkMessage(body, context)
  if (category === 'marketing' && account.opted_out.has(`${number.business_account_id} ${message.recipient}`))
    throw new GraphError(131050)
  if (message.recipient === number.display_phone_number.replace(/\D/g, '')) throw new GraphError(131021)
  const behaviour = world.faults.apply(
    {
      channel: 'whatsapp',
      operation: 'messages',
      recipient: message.recipient,
      type: message.type,
      phone_number_id: number.phone_number_id,
    },
    magic.behaviourOf(number.phone_number_id, message.recipient),
  )
  return behave(behaviour, world.settings.latency_ms, () => {
    const exceeded = limits.exceeded(number.phone_number_id, message.recipient)
    if (exceeded !== undefined) throw new GraphError(exceeded, { retry_after: exceeded === 130429 ? 1 : 6 })
    return accept(account, number, message, body, category, withLateFailure(account, number, message, behaviour))
  })
}

/** Adds failures that Meta reports only after its 200: a closed window, media it cannot fetch. */
function withLateFailure(
  account: Account,
  number: WhatsAppNumber,
  message: CheckedMessage,
  behaviour: Behaviour | undefined,
): Behaviour | undefined {
  if (behaviour?.statuses?.fail) return behaviour
  const { recipient, type } = message
  const reachable =
    type === 'template' || account.magic.isMagic(recipient) || account.windows.isOpen(number.phone_number_id, recipient)
  const code = reachable ? message.late_failure : WINDOW_CLOSED
  return code === undefined ? behaviour : { ...behaviour, statuses: { ...behaviour?.statuses, fail: { code } } }
}

function accept(
  account: Account,
  number: WhatsAppNumber,
  message: CheckedMessage,
  body: Json,
  category: string,
  behaviour: Behaviour | undefined,
): Answer {
  const { world } = account
  const id = messageId(message.recipient)
  world.ledger.record({
    id,
    accepted_at: new Date(world.now()).toISOString(),
    channel: 'whatsapp',
    phone_number_id: number.phone_number_id,
    recipient: message.recipient,
    type: message.type,
    opaque_data: message.opaque_data,
    category,
    body,
  })
  // The service message of another app takes the conversation over.
  if (message.type !== 'template') takeOver(world, number.phone_number_id, message.recipient)
  scheduleStatuses(account, { id, number, message, category }, behaviour)
  const { recipient, is_user_id } = message
  const addressed = account.people.find(recipient) ?? (is_user_id ? { user_id: recipient } : { wa_id: recipient })
  return ok({
    messaging_product: 'whatsapp',
    contacts: [{ input: message.input, ...addressed }],
    messages: [message.type === 'template' ? { id, message_status: 'accepted' } : { id }],
  })
}

function takeOver({ threads }: World, phone_number_id: string, person: string): void {
  if (threads.holderOf(phone_number_id, person) !== 'parley') threads.move(phone_number_id, person, 'parley')
}

function markRead(account: Account, number: WhatsAppNumber, body: Json): Answer {
  const { world, reads } = account
  const message_id = checkRead(body)
  const behaviour = world.faults.apply({
    channel: 'whatsapp',
    operation: 'mark_read',
    phone_number_id: number.phone_number_id,
  })
  return behave(behaviour, world.settings.latency_ms, () => {
    if (!message_id.startsWith('wamid.'))
      throw new GraphError(131009, { details: `message_id ${message_id} is not the id of a received message.` })
    const at = new Date(world.now()).toISOString()
    reads.push({ at, phone_number_id: number.phone_number_id, message_id, typing: Boolean(body.typing_indicator) })
    if (reads.length > READS_KEPT) reads.shift()
    return ok({ success: true })
  })
}
