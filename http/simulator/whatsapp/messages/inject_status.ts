import { type Answer, ControlRefusal, ok } from '../../answer.ts'
import type { WebhookOutcome } from '../../webhook_sender.ts'
import type { Account } from '../account.ts'
import { statusNotification } from './statuses.ts'

const FIELDS = ['message_id', 'status', 'code', 'category', 'billable']
const CATEGORY = /^[a-z_-]{1,60}$/
const STATUSES = ['sent', 'delivered', 'read', 'failed'] as const
/** Message undeliverable. */
const USUAL_FAILURE = 131026

/**
 * Sends a status of an accepted message, whatever was sent before, and returns the receiver's answer. `message_id` is
 * the provider's id or the biz_opaque_callback_data of the send. `category` and `billable` are those of its pricing; by
 * default those of the send. Throws ControlRefusal.
 */
export async function injectStatus(account: Account, body: Record<string, unknown>): Promise<Answer> {
  const { world, numbers, callbacks } = account
  for (const key of Object.keys(body))
    if (!FIELDS.includes(key))
      throw new ControlRefusal(`statuses has no field "${key}"; it takes ${FIELDS.join(', ')}.`)
  const status = STATUSES.find((known) => known === body.status)
  if (!status) throw new ControlRefusal(`status must be one of ${STATUSES.join(', ')}.`)
  const { code, message_id, category: input_category, billable } = body
  if (code !== undefined && typeof code !== 'number') throw new ControlRefusal('code must be the number of an error.')
  if (code !== undefined && status !== 'failed') throw new ControlRefusal('Only a failed message has a code.')
  if (input_category !== undefined && (typeof input_category !== 'string' || !CATEGORY.test(input_category)))
    throw new ControlRefusal('category must be a category of the pricing, such as marketing.')
  if (billable !== undefined && typeof billable !== 'boolean')
    throw new ControlRefusal('billable must be true or false.')
  if (typeof message_id !== 'string')
    throw new ControlRefusal('message_id is missing: the id of a message in GET /sent.')
  const sent = world.ledger.findMessage(message_id)
  const number = sent && numbers.get(sent.phone_number_id)
  if (!sent || !number)
    throw new ControlRefusal(`No message ${message_id} was accepted; GET /_control/sent lists them.`, 404, 'NOT_FOUND')
  if (!number.webhook_url)
    throw new ControlRefusal(`Number ${number.phone_number_id} has no webhook_url.`, 409, 'NO_WEBHOOK')
  const { id, recipient, opaque_data, category = 'service' } = sent
  const message = { recipient, opaque_data, is_user_id: /^[A-Z]{2}\./.test(recipient) }
  const send = { id, number, message, category: input_category ?? category, billable }
  const reported = status === 'failed' ? { status, code: code ?? USUAL_FAILURE } : { status }
  const outcome = await new Promise<WebhookOutcome>((resolve) =>
    callbacks.notify(statusNotification(account, send, reported), resolve),
  )
  return ok({ provider_message_id: id, status, webhook: outcome })
}
