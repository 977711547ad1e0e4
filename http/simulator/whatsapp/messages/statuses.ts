import type { Behaviour } from '../../faults.ts'
import type { WhatsAppNumber } from '../../options.ts'
import { planStatuses, type ReportedStatus } from '../../status_plan.ts'
import type { Account } from '../account.ts'
import type { Notification } from '../envelope.ts'
import { webhookError } from '../requests/errors.ts'
import type { CheckedMessage } from './message.ts'

type AcceptedSend = {
  id: string
  number: WhatsAppNumber
  message: Pick<CheckedMessage, 'recipient' | 'is_user_id' | 'opaque_data'>
  category: string
  /** Default: false for the category `service` alone. */
  billable?: boolean | undefined
}

/** Sends the status callbacks of an accepted message when they are due. */
export function scheduleStatuses(account: Account, send: AcceptedSend, behaviour: Behaviour | undefined): void {
  const { world, callbacks } = account
  if (!send.number.webhook_url) return
  const lead_ms = behaviour?.statuses?.early ? 0 : (behaviour?.latency_ms ?? world.settings.latency_ms)
  for (const planned of planStatuses(world.settings.statuses, behaviour?.statuses)) {
    world.schedule.after(lead_ms + planned.delay_ms, () => callbacks.notify(statusNotification(account, send, planned)))
  }
}

export function statusNotification(account: Account, send: AcceptedSend, reported: ReportedStatus): Notification {
  return {
    number: send.number,
    field: 'messages',
    list: 'statuses',
    item: statusOf(account, send, reported),
    label: `${reported.status} ${send.id}`,
  }
}

const WINDOW_SECONDS = 24 * 3600

function statusOf(
  { world, people }: Account,
  { id, message, category, billable = category !== 'service' }: AcceptedSend,
  planned: ReportedStatus,
): Record<string, unknown> {
  const seconds = Math.floor(world.now() / 1000)
  const { recipient, is_user_id } = message
  const person = people.find(recipient)
  const status: Record<string, unknown> = {
    id,
    status: planned.status,
    timestamp: String(seconds),
    ...(is_user_id ? { recipient_user_id: recipient } : { recipient_id: recipient }),
    ...(person && { recipient_id: person.wa_id, recipient_user_id: person.user_id }),
  }
  if (message.opaque_data !== null) status.biz_opaque_callback_data = message.opaque_data
  if (planned.status === 'sent' || planned.status === 'delivered') {
    const conversation: Record<string, unknown> = {
      id: conversationId(message.recipient, seconds),
      origin: { type: category },
    }
    if (planned.status === 'sent') conversation.expiration_timestamp = String(seconds + WINDOW_SECONDS)
    status.conversation = conversation
    status.pricing = {
      billable,
      pricing_model: 'PMP',
      category,
      type: billable ? 'regular' : category === 'marketing' ? 'free_entry_point' : 'free_customer_service',
    }
  }
  if (planned.code !== undefined) status.errors = [webhookError(planned.code)]
  return status
}

/** One conversation per recipient and day, in Meta's format of 32 hexadecimal digits. */
function conversationId(recipient: string, seconds: number): string {
  const day = Math.floor(seconds / WINDOW_SECONDS)
  return Buffer.from(`${day}${recipient}`.padStart(16, '0').slice(-16)).toString('hex')
}
