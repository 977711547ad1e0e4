import { Refusal } from '../../../runtime/mod.ts'
import { type Message, prefixedId } from '../../../storage/mod.ts'
import type { Source } from '../../assistants/mod.ts'
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
 * Queues texts of an assistant to the person, in this order. The web chat shows `sources` that are pages. Nothing is changed where one of them cannot be sent.
 * @throws {Refusal} the codes of the send, WINDOW_CLOSED, NO_CONTACT
 * @throws {Unavailable} while the channel is full
 */
export function sendAnswer(
  turn: ProjectTurn,
  { providers }: Pick<ProjectContext, 'providers'>,
  { channel_type, channel_id, address: to }: Place,
  assistant_id: string,
  parts: readonly string[],
  sources: readonly Source[] = [],
): Message[] {
  const cited = channel_type === 'web' ? sources.filter(({ url }) => url !== null) : []
  const prepared = parts.map((body, at) => {
    const is_last = at === parts.length - 1
    const meta_data = is_last && cited.length > 0 ? { sources: cited.map(({ title, url }) => ({ title, url })) } : null
    const id = prefixedId('msg')
    const message = { type: 'text', body } as const
    const command = {
      ...({ type: 'send_message', channel: channel_type, to, message, channel_id } as const),
      ...{ answers_last: true, is_automatic: true, ...(meta_data && { meta_data }) },
    }
    return { id, message, meta_data, ...prepareSend(turn, command, providers, id) }
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
  return prepared.map(({ id, message, meta_data, request, provider }) => {
    const content = { ...message, ...provider.marks?.(request) }
    const sent = { id, to, message: content, context: null, meta_data, reserved: null, assistant_id }
    return queueMessage(turn, channel, contact, sent, request)
  })
}
