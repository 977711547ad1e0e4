import { type Database, Idempotency } from '../../../storage/mod.ts'
import type { CommandResult } from '../turn/command_result.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { answerKey, answerReads, isSameRequest } from './answers.ts'
import type { Idempotency as Key } from './request.ts'
import { leavesKeyFree, replay, statusOf, stored } from './stored_answer.ts'

/**
 * Runs a command unless the turn finds an answer under its key, and keeps the answer in the commit of the command. The
 * reads of the turn need `wantAnswer`.
 */
export function runOnce(
  turn: ProjectTurn,
  { route, key, ...hashes }: Key,
  answers_secret: boolean,
  database: Database,
  run: () => CommandResult,
): CommandResult {
  const id = answerKey({ route, key })
  const answers = turn.records.of(answerReads)
  const earlier = answers.get(id)
  if (earlier) {
    return isSameRequest(earlier, hashes) ? replay(earlier, database) : { error: { code: 'IDEMPOTENCY_KEY_REUSED' } }
  }
  const result = run()
  if (leavesKeyFree(result)) return result
  const { project_id } = turn.state
  const row: Idempotency = {
    project_id,
    route,
    key,
    body_hash: hashes.body_hash,
    value_hash: hashes.value_hash ?? null,
    status: statusOf(result),
    body: stored(result, answers_secret, `${project_id} ${id}`, database),
    created_at: turn.now,
  }
  turn.upsert(Idempotency, row)
  answers.set(id, row)
  return result
}
