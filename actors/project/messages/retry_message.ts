/**
 * Sends a message that failed, or whose outcome is unknown, again, as a new one, by the command that sent it.
 *
 *  R1 A message is sent again once. The turn that stores the new message writes `retried_as` into the former one, so later
 *     requests find the new message and get the same answer; a unique index on `retry_of` enforces it.
 *  R2 A request that is refused writes nothing: it may be made again when the reason is gone.
 *  R3 A message whose contact is gone is being erased: it counts as gone, or the new one would keep its text.
 */
import { Message, readRows } from '../../../storage/mod.ts'
import type { Payload } from '../../providers/mod.ts'
import { refuse } from '../../refuse.ts'
import { contactReads } from '../contacts/reads.ts'
import type { Command, CommandContext } from '../turn/feature.ts'
import type { Reads } from '../turn/reads.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { accepted } from './accepted.ts'
import { keepMessage, messageReads } from './reads.ts'
import { type SendMessage, sendMessage } from './send_message.ts'
import { type RawPayload, type SendRaw, sendRaw } from './send_raw.ts'

export type RetryMessage = { type: 'retry_message'; id: string }

/** The wanted messages and those that repeat them, by id. */
const retryReads: ReadKind<Set<string>, Map<string, Message>> = {
  keys: () => new Set(),
  found: () => new Map(),
  async read(found, ids, { database, state: { project_id }, records }) {
    const message_ids = [...ids]
    const rows = await readRows(
      database,
      Message,
      { project_id, id: message_ids },
      { project_id, retry_of: message_ids },
    )
    for (const row of rows) found.set(row.id, keepMessage(records, row))
  },
}

/** @throws {Refusal} NOT_FOUND, MESSAGE_NOT_FAILED, and the codes of the send */
export const retryMessage = {
  reads(reads, { id }) {
    reads.of(retryReads).add(id)
    reads.after(retryReads, (found) => {
      const row = found.get(id)
      if (!row || !isToSend(row)) return
      if (row.chat_user) reads.of(contactReads).ids.add(row.chat_user)
      wantSend(reads, row)
    })
  },
  run(turn, { id }, context) {
    const row = turn.records.of(retryReads).get(id)
    if (row?.direction !== 'outbound') throw refuse('NOT_FOUND')
    if (row.retried_as) {
      const known = turn.records.of(messageReads).rows.get(row.retried_as)
      if (!known) throw refuse('NOT_FOUND')
      return { body: { ...accepted(known, []), retry_of: id } }
    }
    if (!isToSend(row)) throw refuse('MESSAGE_NOT_FAILED', { status: row.status })
    const { by_id } = turn.records.of(contactReads)
    if (row.chat_user && !by_id.has(row.chat_user)) throw refuse('NOT_FOUND')
    const { body } = send(turn, row, context)
    const sent = turn.records.of(messageReads).rows.get(body.id)!
    sent.retry_of = id
    turn.update(Message, { id: sent.id }, { retry_of: id })
    Object.assign(row, { retried_as: sent.id, updated_at: turn.now })
    turn.update(Message, { id }, { retried_as: sent.id, updated_at: turn.now })
    return { body: { ...body, retry_of: id } }
  },
} satisfies Command<RetryMessage>

/** An automatic mail is to an address that is no contact, and is not made again. */
function isToSend({ direction, status, confirmed, retried_as, origin, message }: Message): boolean {
  const is_unknown = status === 'sent' && !confirmed
  if (message.auto_submitted !== undefined) return false
  return direction === 'outbound' && !origin && (status === 'failed' || is_unknown) && !retried_as
}

/** A message in the format of the provider was sent raw. */
function rawOf({ channel_id, message }: Message): SendRaw | undefined {
  return 'messaging_product' in message ? { type: 'send_raw', channel_id, payload: message as RawPayload } : undefined
}

function sendOf({ channel, channel_id, to, message, context, meta_data }: Message): SendMessage {
  // An e-mail keeps its thread, also when it answered the last one without naming it.
  const { references } = message as { references?: string[] }
  const answered = references?.at(-1)
  return {
    answers_last: false,
    type: 'send_message',
    channel,
    channel_id,
    to: to!,
    message: message as Payload,
    context: (context as SendMessage['context'] | null) ?? (answered ? { message_id: answered } : undefined),
    meta_data: meta_data ?? undefined,
  }
}

function wantSend(reads: Reads, row: Message): void {
  const raw = rawOf(row)
  if (raw) sendRaw.reads(reads, raw)
  else sendMessage.reads(reads, sendOf(row), '')
}

function send(turn: ProjectTurn, row: Message, context: CommandContext) {
  const raw = rawOf(row)
  return raw ? sendRaw.run(turn, raw, context) : sendMessage.run(turn, sendOf(row), context)
}
