/** Answers stored under idempotency keys, for repeats of the request. */
import type { Database, Idempotency } from '../../../storage/mod.ts'
import { type ErrorCode, errorCatalogue } from '../../error_catalogue.ts'
import type { CommandResult } from '../turn/command_result.ts'

type Stored =
  | { sealed: string }
  | { json: string }
  | { erased: true }
  | { error: Extract<CommandResult, { error: unknown }>['error'] }

/** The same request may be accepted in a moment, or with another `If-Match`. */
const PASSING: ReadonlySet<ErrorCode> = new Set(['SERVICE_UNAVAILABLE', 'MESSAGE_NOT_SENT_YET', 'PRECONDITION_FAILED'])

/**
 * True for a refusal that is not stored: one that passes, and a 400, whoever found it. The client mends the request and
 * sends it under the same key.
 */
export function leavesKeyFree(answer: CommandResult): boolean {
  return 'error' in answer && (PASSING.has(answer.error.code) || statusOf(answer) === 400)
}

/** The status stored with the answer; 0 for the route's own. */
export function statusOf(answer: CommandResult): number {
  return 'error' in answer ? errorCatalogue[answer.error.code].status : (answer.status ?? 0)
}

/** The answer as stored. An answer with a secret is sealed for its `place`. */
export function stored(result: CommandResult, secret: boolean, place: string, database: Database): Stored {
  if ('error' in result) return { error: result.error }
  const json = result.json ?? JSON.stringify(result.body ?? null)
  return secret ? { sealed: database.vault.seal(place, 'answer', json) } : { json }
}

/** The answer as originally given. When it was erased with the data of a person, a refusal. */
export function replay(row: Idempotency, database: Database): CommandResult {
  const body = row.body as Stored
  if ('error' in body) return { error: body.error, replayed: true }
  if ('erased' in body) return { error: { code: 'IDEMPOTENCY_ANSWER_ERASED' }, replayed: true }
  const json =
    'sealed' in body
      ? database.vault.open(`${row.project_id} ${row.route} ${row.key}`, 'answer', body.sealed)
      : body.json
  return { status: row.status || undefined, json: json === 'null' ? undefined : json, replayed: true }
}
