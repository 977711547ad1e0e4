import { Media, readRows } from '../../../storage/mod.ts'
import type { ReadKind, Records } from '../turn/records.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { mediaIdsIn } from './file_nodes.ts'
import { isSentOn } from './sent_on.ts'

type Content = Record<string, unknown>

/**
 * Ends the files that a person took out of a message: nothing else leads to them when the person is erased. Those that were
 * sent on to somebody stay.
 */
export function dropFiles(turn: ProjectTurn, former: Content, content: Content): void {
  const kept = mediaIdsIn(content)
  const rows = turn.records.of(droppedReads)
  for (const media_id of mediaIdsIn(former)) {
    if (kept.includes(media_id) || isSentOn(turn, rows.get(media_id))) continue
    turn.update(Media, { media_id }, { expires_at: turn.now })
  }
}

/** The files of messages that may lose them, by `media_id`. `keys` finds their contents once messages are read. */
export const droppedReads: ReadKind<Set<(records: Records) => Content[]>, Map<string, Media>> = {
  keys: () => new Set(),
  found: () => new Map(),
  read: () => undefined,
  async finish(found, keys, { database, state: { project_id }, records }) {
    const media_id = [...keys].flatMap((contents) => contents(records).flatMap(mediaIdsIn))
    if (media_id.length === 0) return
    for (const row of await readRows(database, Media, { media_id, project_id })) found.set(row.media_id, row)
  },
}
