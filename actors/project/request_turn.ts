/** An API request inside the project's turn: admission, replay of an earlier answer, the command. */
import { Refusal, Unavailable } from '../../runtime/mod.ts'
import { type Database, Idempotency } from '../../storage/mod.ts'
import { type ErrorCode, errorCatalogue } from '../error_catalogue.ts'
import { admit } from './admission.ts'
import { answersSecret, type CommandContext, runCommand } from './commands.ts'
import type { ProjectTurn } from './events.ts'
import {
  type Claimed,
  type ClaimOperation,
  type Conclusion,
  claimOperation,
  concludeOperation,
  heldBy,
} from './operations.ts'
import type { CommandResult, Idempotency as Key, ProjectCommand, ProjectReply, ProjectRequest } from './request.ts'

type Stored = { sealed: string } | { json: string } | { error: Extract<CommandResult, { error: unknown }>['error'] }

export function handleRequest(turn: ProjectTurn, request: ProjectRequest, context: CommandContext): ProjectReply {
  const { database } = context
  const admission = admit(turn.state, request, turn.now.getTime())
  const { command, idempotency } = request
  if (!admission.ok || !command) return { admission }
  if (command.type === 'claim_operation') return { admission, result: claim(turn, command, idempotency!, database) }
  if (!idempotency) return { admission, result: attempt(turn, command, request, context) }

  const { route, key, body_hash } = idempotency
  const id = `${route} ${key}`
  const earlier = turn.records.answers.get(id)
  if (earlier) {
    if (earlier.body_hash !== body_hash) return { admission, result: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } } }
    return { admission, result: replay(earlier, database) }
  }
  const result = attempt(turn, command, request, context)
  // The same request may be taken in a moment.
  if ('error' in result && result.error.code === 'SERVICE_UNAVAILABLE') return { admission, result }
  const { project_id } = turn.state
  const row: Idempotency = {
    project_id,
    route,
    key,
    body_hash,
    status: statusOf(result),
    body: stored(result, answersSecret(command), `${project_id} ${id}`, database),
    created_at: turn.now,
  }
  turn.upsert(Idempotency, row)
  turn.records.answers.set(id, row)
  return { admission, result }
}

/** An operation takes its key, or gets the answer to the request that had it. */
function claim(turn: ProjectTurn, command: ClaimOperation, key: Key, database: Database): CommandResult | Claimed {
  const earlier = turn.records.answers.get(`${key.route} ${key.key}`)
  if (earlier && earlier.body_hash !== key.body_hash) return { error: { code: 'IDEMPOTENCY_KEY_REUSED' } }
  return earlier && !heldBy(earlier) ? replay(earlier, database) : claimOperation(turn, key, command, earlier)
}

/** The end of an operation: its changes, and the answer kept under its key. */
export function conclude(turn: ProjectTurn, conclusion: Conclusion, database: Database): CommandResult {
  const store = (answer: CommandResult) => ({ status: statusOf(answer), body: stored(answer, false, '', database) })
  return concludeOperation(turn, conclusion, (row) => replay(row, database), store)
}

function statusOf(answer: CommandResult): number {
  return 'error' in answer ? errorCatalogue[answer.error.code].status : (answer.status ?? 0)
}

/** A domain rule's no is an answer; nothing has been changed then (commands check before they change). */
function attempt(
  turn: ProjectTurn,
  command: Exclude<ProjectCommand, ClaimOperation>,
  { token_id }: ProjectRequest,
  context: CommandContext,
): CommandResult {
  try {
    return runCommand(turn, command, token_id, context)
  } catch (error) {
    if (error instanceof Unavailable) {
      return { error: { code: 'SERVICE_UNAVAILABLE', message: error.message, retry_after: error.retry_after_s } }
    }
    if (!(error instanceof Refusal)) throw error
    return { error: { code: error.code as ErrorCode, message: error.text, details: error.details } }
  }
}

function stored(result: CommandResult, secret: boolean, place: string, database: Database): Stored {
  if ('error' in result) return { error: result.error }
  const json = result.json ?? JSON.stringify(result.body ?? null)
  return secret ? { sealed: database.vault.seal(place, 'answer', json) } : { json }
}

function replay(row: Idempotency, database: Database): CommandResult {
  const body = row.body as Stored
  if ('error' in body) return { error: body.error, replayed: true }
  const json =
    'sealed' in body
      ? database.vault.open(`${row.project_id} ${row.route} ${row.key}`, 'answer', body.sealed)
      : body.json
  return { status: row.status || undefined, json: json === 'null' ? undefined : json, replayed: true }
}
