/** Files that people sent and that were sent on to others: they outlive the messages that brought them. */
import { Media } from '../../../storage/mod.ts'
import type { Payload } from '../../providers/mod.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { fileReads, filesOf } from './files.ts'

/** Files that a message of this turn sends. Nothing reads them: the rows say the same of those of earlier turns. */
const sentInTurn: ReadKind<null, Set<string>> = {
  keys: () => null,
  found: () => new Set(),
  read: () => undefined,
}

/** Marks the files that a message sends. */
export function keepSent(turn: ProjectTurn, message: { type: string }): void {
  const { files } = turn.records.of(fileReads)
  const sent = turn.records.of(sentInTurn)
  for (const media_id of filesOf(message as Payload).keys()) {
    const row = files.find(media_id)
    if (!row?.blob_key || row.is_sent_on || sent.has(media_id)) continue
    sent.add(media_id)
    turn.update(Media, { media_id }, { is_sent_on: true })
  }
}

/** True for a file that another message has sent on. `row` as it was read. */
export function isSentOn(turn: ProjectTurn, row: Media | undefined): boolean {
  return row !== undefined && (row.is_sent_on === true || turn.records.of(sentInTurn).has(row.media_id))
}
