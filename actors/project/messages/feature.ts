/** Messages to and from people, with their statuses. */
import type { Feature } from '../turn/feature.ts'
import { echoHeld, echoReported } from './echo_reported.ts'
import { messageReceived } from './message_received.ts'
import { messagesAccepted } from './messages_accepted.ts'
import { messagesRefused } from './messages_refused.ts'
import { readMessages } from './read_messages.ts'
import { retryMessage } from './retry_message.ts'
import { sendMessage } from './send_message.ts'
import { sendRaw } from './send_raw.ts'
import { statusReported } from './status_reported.ts'

export const messages = {
  commands: { send_message: sendMessage, send_raw: sendRaw, retry_message: retryMessage },
  changes: { read_messages: readMessages },
  inbound: { message: messageReceived, echo: echoReported, status: statusReported },
  receivers: { messages_accepted: messagesAccepted, messages_refused: messagesRefused, echo_held: echoHeld },
} satisfies Feature
