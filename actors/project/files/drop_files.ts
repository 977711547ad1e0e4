import { Media } from '../../../storage/mod.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { mediaIdsIn } from './file_nodes.ts'

type Content = Record<string, unknown>

/** Ends the files that a person took out of a message: nothing else leads to them when the person is erased. */
export function dropFiles(turn: ProjectTurn, former: Content, content: Content): void {
  const kept = mediaIdsIn(content)
  for (const media_id of mediaIdsIn(former)) {
    if (!kept.includes(media_id)) turn.update(Media, { media_id }, { expires_at: turn.now })
  }
}
