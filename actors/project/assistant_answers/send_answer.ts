import { Refusal } from '../../../runtime/mod.ts'
import { type Message, prefixedId } from '../../../storage/mod.ts'
import type { Place } from '../../conversation/mod.ts'
import { refuse } from '../../refuse.ts'
import { contactOn, ensureContact } from '../contacts/contact.ts'
import { survivorOf } from '../contacts/reads.ts'
import { warningsFor } from '../messages/accepted.ts'
import { expectRoom, queueMessage } from '../messages/queue_message.ts'
import { prepareSend } from '../messages/send_message.ts'
import { otherHolder } from '../threads/holder.ts'
import type { ProjectContext } from '../turn/feature.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/**
 * Queues texts of an assistant to the person, in this order. Nothing is changed where one of them cannot be sent.
 * @throws {Refusal} the codes of the send, WINDOW_CLOSED, NO_CONTACT
 * @throws {Unavailable} while the channel is full
 */
export function sendAnswer(
  turn: ProjectTurn,
  { providers }: Pick<ProjectContext, 'providers'>,
  { channel_type, channel_id, address: to }: Place,
  assistant_id: string,
  parts: readonly string[],
): Message[] {
  const prepared = parts.map((body) => {
    const id = prefixedId('msg')
    const message = { type: 'text', body } as const
    const command = {
      ...({ type: 'send_message', channel: channel_type, to, message, channel_id } as const),
      ...{ answers_last: true, is_automatic: true },
    }
    return { id, message, ...prepareSend(turn, command, providers, id) }
  })
  const [first] = prepared
  if (!first) return []
  const { channel, provider, person } = first
  expectRoom(turn, channel)
  const known = contactOn(turn, channel, person)
  if (!known) throw refuse('NO_CONTACT')
  if (otherHolder(survivorOf(turn.records, known), channel.id, turn.now)) {
    throw refuse('NO_CONTACT', {}, 'Another app holds this conversation.')
  }
  const closed = warningsFor(turn, provider, channel, known, first.message).find(({ code }) => code === 'WINDOW_CLOSED')
  if (closed) throw new Refusal(closed.code, { message: closed.message })
  const contact = ensureContact(turn, channel, person)
  return prepared.map(({ id, message, request, provider }) => {
    const content = { ...message, ...provider.marks?.(request) }
    const sent = { id, to, message: content, context: null, meta_data: null, reserved: null, assistant_id }
    return queueMessage(turn, channel, contact, sent, request)
  })
}
