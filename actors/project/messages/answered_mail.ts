/** The e-mail that a new one answers: it gives the subject and the references. */
import { type Message, readLastReceived } from '../../../storage/mod.ts'
import { contactOn } from '../contacts/contact.ts'
import { type Person, personOf } from '../contacts/identity.ts'
import { contactReads } from '../contacts/reads.ts'
import type { Reads } from '../turn/reads.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectChannel } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { messageReads, providerKey } from './reads.ts'

/** The last message of each contact, by the contact's id. */
export const lastReceivedReads: ReadKind<Set<string>, Map<string, Message>> = {
  keys: () => new Set(),
  found: () => new Map(),
  async read(found, chat_users, { database, state: { project_id } }) {
    if (chat_users.size === 0) return
    for (const row of await readLastReceived(database, project_id, [...chat_users])) found.set(row.chat_user!, row)
  },
}

/** Adds the last e-mail of a person who is written to without saying which e-mail is answered. */
export function wantLastMail(reads: Reads, to: string): void {
  const { user_id } = personOf('email', to)
  reads.after(contactReads, ({ by_id }) => {
    for (const { _id, channel_type, user_id: known, merged_into } of by_id.values()) {
      if (channel_type === 'email' && known === user_id) wantLastMailOf(reads, merged_into ?? _id)
    }
  })
}

export function wantLastMailOf(reads: Reads, chat_user: string): void {
  reads.of(lastReceivedReads).add(chat_user)
}

/**
 * The message with the provider's id `context`. Without one, and with `answers_last`, the last e-mail of the person on
 * the channel. Undefined for one that is not in the project.
 */
export function answeredMail(
  turn: ProjectTurn,
  channel: ProjectChannel,
  person: Person,
  context: { message_id: string } | undefined,
  answers_last: boolean,
): Message | undefined {
  if (channel.channel_type !== 'email') return undefined
  if (context) return turn.records.of(messageReads).rows.get(providerKey(channel.id, context.message_id))
  const contact = answers_last ? contactOn(turn, channel, person) : undefined
  const last = contact && turn.records.of(lastReceivedReads).get(contact.merged_into ?? contact._id)
  return last?.channel_id === channel.id ? last : undefined
}
