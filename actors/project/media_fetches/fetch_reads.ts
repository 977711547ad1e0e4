import { Media, type MediaFetch, Message, readDueFetches, readFetches, readRows } from '../../../storage/mod.ts'
import { keepMessage } from '../messages/reads.ts'
import type { ReadKind } from '../turn/records.ts'
import { MAX_READ } from './running.ts'

type Keys = {
  media_ids: Set<string>
  /** The fetches that are due next. */
  due: boolean
}

type Found = {
  fetches: Map<string, MediaFetch>
  /** The fetches that are due first, of each channel. */
  due: MediaFetch[]
  /** The stored files of those that were wanted by their ids. */
  stored: Map<string, Media>
  /** Keyed by `media_id`: the message that brought the file, and the message that an edit changed. */
  messages: Map<string, Message[]>
}

/** Fetches with their messages, and what is stored of them. */
export const fetchReads: ReadKind<Keys, Found> = {
  keys: () => ({ media_ids: new Set(), due: false }),
  found: () => ({ fetches: new Map(), due: [], stored: new Map(), messages: new Map() }),
  async read(found, { media_ids, due }, { database, state: { project_id, channels }, records }) {
    const ids = [...media_ids]
    const [next, named, files] = await Promise.all([
      due ? readDueFetches(database, [...channels.keys()], MAX_READ) : [],
      readFetches(database, project_id, ids),
      ids.length > 0 ? readRows(database, Media, { media_id: ids, project_id }) : [],
    ])
    for (const row of files) found.stored.set(row.media_id, row)
    for (const row of [...named, ...next]) if (!found.fetches.has(row.media_id)) found.fetches.set(row.media_id, row)
    found.due = next.map(({ media_id }) => found.fetches.get(media_id)!)
    const rows = [...found.fetches.values()]
    const message_ids = rows.flatMap(({ message_id }) => message_id ?? [])
    if (message_ids.length === 0) return
    const brought = await readRows(database, Message, { id: message_ids, project_id })
    const edited = brought.flatMap(({ type, channel_id, message: { original_message_id: id } }) =>
      type === 'edit' && typeof id === 'string' ? [{ channel_id, provider_message_id: id }] : [],
    )
    const originals = edited.length > 0 ? await readRows(database, Message, ...edited) : []
    for (const { media_id, message_id } of rows) {
      const own = brought.find(({ id }) => id === message_id)
      if (!own) continue
      const changed = originals.filter(
        (one) => one.channel_id === own.channel_id && one.provider_message_id === own.message.original_message_id,
      )
      const kept = [own, ...changed].map((row) => keepMessage(records, row))
      found.messages.set(media_id, kept)
    }
  },
}
