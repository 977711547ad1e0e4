/**
 * Messages that agents send later.
 *
 *  L1 The row says whether a message is to come. Each such row has a durable timer of its own, which is set, moved and
 *     cancelled in the transaction of the row's change.
 *  L2 A message is sent in the turn of its timer, which also writes that it was sent. The timer takes effect once, so the
 *     message is stored once, whatever stops in between.
 *  L3 A send that is refused then makes it `failed`, with the reason, and agents can schedule it again.
 *  L4 One that an answer cancels is not sent after an answer: the person's message sets a timer that cancels it, and the
 *     turn of sending looks for messages of the person, too.
 */
import type { Feature } from '../turn/feature.ts'
import { scheduleMessage } from './schedule_message.ts'
import { sendScheduled } from './send_scheduled.ts'
import { ticketAnswered } from './ticket_answered.ts'
import { cancelScheduledMessage, updateScheduledMessage } from './update_scheduled_message.ts'

export const scheduledMessages = {
  commands: {
    schedule_message: scheduleMessage,
    update_scheduled_message: updateScheduledMessage,
    cancel_scheduled_message: cancelScheduledMessage,
  },
  receivers: { scheduled_message_due: sendScheduled, ticket_answered: ticketAnswered },
} satisfies Feature
