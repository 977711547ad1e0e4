/** Records that belong to one agent, or are shared by all agents of the project (`owner_id` is null). */
import type { ProjectTurn } from './turn.ts'

type OwnedRow = { owner_id?: string | null }

/** `show`: the record as the console has it. */
export type OwnedRecordNotice<Row> = { type: string; name: string; show(row: Row): object }

export function isVisible({ owner_id }: OwnedRow, user_id: string | null): boolean {
  return owner_id == null || owner_id === user_id
}

/**
 * Tells a change to the agents who see the record, and to those who do not see it any more.
 *
 * @param before undefined for a new record
 * @param after undefined for a deleted one
 */
export function tellOwned<Row extends OwnedRow & { _id: string }>(
  turn: ProjectTurn,
  { type, name, show }: OwnedRecordNotice<Row>,
  before: Row | undefined,
  after: Row | undefined,
): void {
  const { project_id } = turn.state
  const { _id } = (after ?? before)!
  const tell = ({ owner_id }: OwnedRow, row: Row | undefined) =>
    turn.live(project_id, () => {
      return { type, ...(owner_id != null && { user_id: owner_id }), data: { _id, [name]: row ? show(row) : null } }
    })
  // A record that ceases to be shared is gone for all; then its owner hears of it anew.
  const is_withdrawn = after?.owner_id != null && before?.owner_id == null
  if (before && (!after || is_withdrawn)) tell(before, undefined)
  if (after) tell(after, after)
}
