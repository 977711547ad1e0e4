import { Message } from '../../../storage/mod.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/**
 * A message that was imported from a history comes live: it keeps its id and its place, and is like any other from now on.
 * `row`: the message as it comes, which becomes what is stored.
 */
export function takeOver(turn: ProjectTurn, imported: Message, row: Message): void {
  const { status, confirmed, from, context, sent_at, type, message } = row
  const content = imported.edited_at ? {} : { type, message, context }
  const patch = { status, confirmed, from, sent_at, ...content, imported_at: null, updated_at: turn.now }
  Object.assign(imported, patch)
  Object.assign(row, imported)
  turn.update(Message, { id: imported.id }, patch)
}
