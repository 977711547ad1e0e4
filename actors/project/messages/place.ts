/**
 * The place inside a chat where an answer belongs: a topic of Telegram, or the chat of a business account that the bot
 * serves. It is that of the quoted message, else of the last one that the person wrote.
 */
import { type ChatPlace, latestPlaces, type Message } from '../../../storage/mod.ts'
import type { Reads } from '../turn/reads.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectChannel } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { messageReads, providerKey } from './reads.ts'

type Place = Pick<ChatPlace, 'message_thread_id' | 'business_connection_id'>

/** The last places of people on Telegram, by `user_id`. */
const placeReads: ReadKind<Set<string>, Map<string, ChatPlace>> = {
  keys: () => new Set(),
  found: () => new Map(),
  async read(found, keys, { database, state }) {
    for (const place of await latestPlaces(database, state.project_id, [...keys])) found.set(place.user_id, place)
  },
}

/** Only Telegram's chats have places. */
export function wantPlace(reads: Reads, { channel, to }: { channel: string; to: string }): void {
  if (channel === 'telegram') reads.of(placeReads).add(to)
}

/** Undefined for the chat itself. `message_id`: the quoted message, by our id or the provider's. */
export function placeOf(
  turn: ProjectTurn,
  channel: ProjectChannel,
  { to, message_id }: { to: string; message_id: string | undefined },
): Place | undefined {
  if (channel.channel_type !== 'telegram') return undefined
  const last = turn.records.find(placeReads)?.get(to)
  const own = last?.channel_id === channel.id ? last : undefined
  if (message_id === undefined) return own
  const { rows } = turn.records.of(messageReads)
  const quoted = rows.get(message_id) ?? rows.get(providerKey(channel.id, message_id))
  return quoted === undefined ? own : placeIn(quoted)
}

/** Messages of ours have no place of their own: Telegram finds it by the quoted message. */
function placeIn({ message, direction }: Message): Place | undefined {
  const { message_thread_id, business_connection_id } = message as Place
  return direction === 'inbound' ? { message_thread_id, business_connection_id } : undefined
}
