import { listReceivedFrom, listUnreadBy, Message, readRows } from '../../../storage/mod.ts'
import type { Reads } from '../turn/reads.ts'
import type { ReadKind, Records } from '../turn/records.ts'
import { type RecentMessagesOfProject, recentMessagesOf } from './recent_messages.ts'

type Keys = {
  /** Our ids. */
  ids: Set<string>
  /** The provider's ids, on any channel of the project. */
  provided: Set<string>
  /** People with a watermark, by `watermarkKey`. */
  watermarks: Map<string, Watermark>
  /** Contacts whose messages were read. */
  readers: Set<string>
}

/** The person of a watermark. */
type Watermark = { channel_id: string; channel_type: string; user_id: string }

type Found = {
  /** Keyed by our id, and by `providerKey`. */
  rows: Map<string, Message>
  /** Messages that a watermark may cover, oldest first; by `watermarkKey`. */
  unread: Map<string, Message[]>
  recent: RecentMessagesOfProject
}

/** Messages by id, of a watermark, and of a contact. Recent ones are not read again by id. */
export const messageReads: ReadKind<Keys, Found> = {
  keys: () => ({ ids: new Set(), provided: new Set(), watermarks: new Map(), readers: new Set() }),
  found: (state) => ({ rows: new Map(), unread: new Map(), recent: recentMessagesOf(state) }),
  read({ unread, recent }, { ids, provided, watermarks, readers }, { database, state, records }) {
    const { project_id, company_id } = state
    const keepAll = async (rows: Promise<Message[]>) => (await rows).map((row) => keepMessage(records, row))
    const under_way: Promise<unknown>[] = []
    const unknown: string[] = []
    for (const id of ids) {
      const row = recent.find(id)
      if (row) keepMessage(records, row)
      else unknown.push(id)
    }
    if (unknown.length > 0 || provided.size > 0) {
      const ours = { id: unknown, project_id }
      const theirs = { channel_id: [...state.channels.keys()], provider_message_id: [...provided] }
      under_way.push(keepAll(readRows(database, Message, ours, theirs)))
    }
    for (const [key, watermark] of watermarks) {
      const kept = keepAll(listUnreadBy(database, company_id, watermark))
      under_way.push(kept.then((rows) => unread.set(key, rows)))
    }
    for (const chat_user of readers) under_way.push(keepAll(listReceivedFrom(database, project_id, chat_user)))
    return Promise.all(under_way)
  },
}

/** A message by the provider's id. Ids are unique within a channel. */
export function providerKey(channel_id: string, provider_message_id: string): string {
  return `${channel_id} ${provider_message_id}`
}

/** A person on a channel. */
export function watermarkKey(channel_id: string, { user_id }: { user_id: string }): string {
  return `${channel_id} ${user_id}`
}

/** Adds an id from a client: ours, or the provider's. */
export function wantReferred(reads: Reads, id: string): void {
  const { ids, provided } = reads.of(messageReads)
  if (id.startsWith('msg_')) ids.add(id)
  else provided.add(id)
}

/** Registers the message in the turn. Returns the row that the turn uses: the first one under the id. */
export function keepMessage(records: Records, row: Message): Message {
  const { rows, recent } = records.of(messageReads)
  const known = rows.get(row.id) ?? row
  const keys = [known.id]
  if (known.provider_message_id) keys.push(providerKey(known.channel_id, known.provider_message_id))
  for (const key of keys) rows.set(key, known)
  recent.keep(known, keys)
  return known
}
