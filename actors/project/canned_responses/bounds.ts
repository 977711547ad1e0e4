import type { CannedResponse } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { cannedResponseReads } from './reads.ts'

const MAX_SHARED = 1000
const MAX_OWN = 200

/**
 * The place of a canned response among those of its owner, or the shared ones.
 *
 * @throws {Refusal} SHORTCUT_ALREADY_EXISTS, CANNED_RESPONSE_LIMIT_REACHED
 */
export function mustFit(turn: ProjectTurn, { _id, owner_id = null, shortcut }: CannedResponse): void {
  const others = [...turn.records.of(cannedResponseReads).shortcuts.values()].filter(
    (other) => (other.owner_id ?? null) === owner_id && other._id !== _id,
  )
  const same = others.find((other) => other.shortcut === shortcut)
  if (same) throw refuse('SHORTCUT_ALREADY_EXISTS', { canned_response_id: same._id })
  const limit = owner_id === null ? MAX_SHARED : MAX_OWN
  if (others.length >= limit) throw refuse('CANNED_RESPONSE_LIMIT_REACHED', { limit })
}
