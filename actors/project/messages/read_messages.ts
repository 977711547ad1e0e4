/** POST /v1/messages/mark-read, after the provider has accepted it. */
import { isNotice, Message } from '../../../storage/mod.ts'
import { type InboundStatus, nextInboundStatus } from '../../machines/mod.ts'
import { contactNamed, contactReads } from '../contacts/reads.ts'
import { messagesRead } from '../tickets/system_events.ts'
import type { Change } from '../turn/feature.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { messageReads } from './reads.ts'

/**
 * The provider has marked a message of this contact as read. Nodes of an earlier version do not name the message: then
 * only the ticket is changed.
 */
export type ReadMessages = { type: 'read_messages'; chat_user: string; message_id?: string | undefined }

/**
 * Marks the earlier messages of the conversation as read together with the named one, as WhatsApp does. Later messages
 * of the person, and those on other channels, stay unread.
 */
export const readMessages: Change<ReadMessages> = {
  reads(reads, { chat_user, message_id }) {
    reads.of(contactReads).ids.add(chat_user)
    if (message_id === undefined) return
    const { readers, ids } = reads.of(messageReads)
    reads.after(contactReads, (found) => readers.add(found.by_id.get(chat_user)?.merged_into ?? chat_user))
    ids.add(message_id)
  },
  apply(turn, { chat_user: named_by, message_id }) {
    const chat_user = contactNamed(turn.records, named_by)?._id ?? named_by
    const { rows } = turn.records.of(messageReads)
    const named = message_id === undefined ? undefined : rows.get(message_id)
    if (!named) {
      messagesRead(turn, chat_user, 0)
      return undefined
    }
    let left = 0
    for (const row of new Set(rows.values())) {
      if (row.chat_user !== chat_user || row.direction !== 'inbound' || row.status !== 'received') continue
      if (isLater(row, named)) left += isNotice(row) ? 0 : 1
      else if (row.channel_id === named.channel_id) read(turn, row)
    }
    messagesRead(turn, chat_user, left)
    return undefined
  },
}

/**
 * Compares `sent_at`, the person's time of writing in whole seconds; within one second, the order of arrival decides.
 */
function isLater(row: Message, named: Message): boolean {
  const [one, other] = [row.sent_at?.getTime() ?? 0, named.sent_at?.getTime() ?? 0]
  return one === other ? row.id > named.id : one > other
}

function read(turn: ProjectTurn, row: Message): void {
  const patch = {
    status: nextInboundStatus(row.status as InboundStatus, 'read'),
    read_at: turn.now,
    updated_at: turn.now,
  }
  Object.assign(row, patch)
  turn.update(Message, { id: row.id }, patch)
}
