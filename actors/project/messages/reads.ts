import { listReceivedFrom, listUnreadBy, Message, readRows } from '../../../storage/mod.ts'
import type { Reads } from '../turn/reads.ts'
import type { ReadKind, Records } from '../turn/records.ts'

type Wanted = {
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
}

/** Messages by id, of a watermark, and of a contact. */
export const messageReads: ReadKind<Wanted, Found> = {
  wanted: () => ({ ids: new Set(), provided: new Set(), watermarks: new Map(), readers: new Set() }),
  found: () => ({ rows: new Map(), unread: new Map() }),
  read({ unread }, { ids, provided, watermarks, readers }, { database, state, records }) {
    const { project_id, company_id } = state
    const keepAll = async (rows: Promise<Message[]>) => (await rows).map((row) => keepMessage(records, row))
    const under_way: Promise<unknown>[] = []
    if (ids.size > 0 || provided.size > 0) {
      const ours = { id: [...ids], project_id }
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
  const { rows } = records.of(messageReads)
  const known = rows.get(row.id) ?? row
  rows.set(row.id, known)
  if (known.provider_message_id) rows.set(providerKey(known.channel_id, known.provider_message_id), known)
  return known
}
