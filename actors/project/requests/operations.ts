/**
 * Operations: requests whose work the receiving node does at the provider while the client waits. The project handles
 * each in two turns. The first admits the operation and, under an idempotency key, claims the key. The second concludes
 * it: the changes, the events and the answer kept for repeats commit together.
 *
 *  O1 One request at a time claims a key. Requests meanwhile get IDEMPOTENCY_IN_PROGRESS.
 *  O2 A claim ends with its conclusion, or by itself at `until`: a dead node cannot conclude, and its death is never
 *     certain. `until` is later than the time limit of the claiming request.
 *  O3 A late conclusion, when another request has the claim by then, changes nothing.
 *  O4 An operation without an answer (the provider could not be reached) frees the key: the client repeats the
 *     request under the same key. The next request is told when an earlier one may have had an effect at the provider.
 *  O5 A change may be refused in the turn, by what has happened since the node looked. The refusal is the answer then.
 *  O6 Nothing is stored for a project that was erased meanwhile.
 *  O7 A refusal that leaves the key free (`leavesKeyFree`) gives it up, unless an earlier request is in doubt.
 */
import { Refusal, Unavailable } from '../../../runtime/mod.ts'
import { type Database, Idempotency, type Origin } from '../../../storage/mod.ts'
import type { ErrorCode } from '../../error_catalogue.ts'
import { withAudit } from '../turn/audit.ts'
import { type CommandResult, unavailable } from '../turn/command_result.ts'
import type { Change, Receiver } from '../turn/feature.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { answerKey, answerReads, wantAnswer } from './answers.ts'
import type { Claimed, ClaimOperation, Idempotency as Key } from './request.ts'
import { leavesKeyFree, replay, statusOf, stored } from './stored_answer.ts'

export type Claim = { idempotency: Key; claim_id: string }

/** The conclusion of an operation. */
export type ConclusionOf<Change> = {
  claim?: Claim | undefined
  changes: Change[]
  /** Null without an answer: the claim is released. `record`: the answer is the changed record. */
  answer: { status?: number | undefined; record: true } | CommandResult | null
  in_doubt?: boolean | undefined
  /** As that of a request. */
  origin?: Origin | undefined
}

/** The body of the key's row until the answer is stored. */
type Held = { claim: { id: string; until: number } | null; in_doubt: boolean }

/** The claim on the key; undefined when the row has the answer. */
export function heldBy(row: Idempotency): Held | undefined {
  return typeof row.body === 'object' && row.body !== null && 'claim' in row.body ? (row.body as Held) : undefined
}

type AnyChange = { type: string }
/** The changes that a conclusion may carry, by type. */
export type Changes = ReadonlyMap<string, Change<AnyChange>>

const IN_PROGRESS = 'IDEMPOTENCY_IN_PROGRESS'

/** `earlier`: the row of the key, if it exists without an answer. */
export function claimOperation(
  turn: ProjectTurn,
  key: Key,
  { claim_id, claim_ms }: ClaimOperation,
  earlier: Idempotency | undefined,
): CommandResult | Claimed {
  const now = turn.now.getTime()
  const held = earlier && heldBy(earlier)
  const claim = held?.claim
  if (claim && claim.id !== claim_id && claim.until > now) {
    return { error: { code: IN_PROGRESS, retry_after: Math.min(5, Math.ceil((claim.until - now) / 1000)) } }
  }
  // True after an expired claim, because its node may have reached the provider.
  const in_doubt = (held?.in_doubt ?? false) || (claim !== null && claim !== undefined && claim.id !== claim_id)
  keep(turn, key, 0, { claim: { id: claim_id, until: now + claim_ms }, in_doubt }, earlier?.created_at ?? turn.now)
  return { claimed: { in_doubt } }
}

/** From the node that did an operation at the provider: its conclusion. */
export function receiveConclusions(parts: Changes): Receiver<ConclusionOf<AnyChange>, CommandResult> {
  return {
    reads(reads, { claim, changes }) {
      if (claim) wantAnswer(reads, claim.idempotency)
      for (const change of changes) partOf(parts, change).reads(reads, change)
    },
    receive: (turn, conclusion, { database }) => conclude(turn, conclusion, parts, database),
  }
}

function conclude(
  turn: ProjectTurn,
  { claim, changes, answer, in_doubt = false, origin }: ConclusionOf<AnyChange>,
  parts: Changes,
  database: Database,
): CommandResult {
  if (!turn.state.exists) {
    // As the caller's next request.
    return { error: { code: origin?.actor_kind === 'operator' ? 'PROJECT_NOT_FOUND' : 'UNAUTHENTICATED' } }
  }
  const row = claim && turn.records.of(answerReads).get(answerKey(claim.idempotency))
  if (claim && row) {
    const held = heldBy(row)
    // Already concluded: this conclusion is a repeat, or it comes too late.
    if (!held) return replay(row, database)
    if (held.claim?.id !== claim.claim_id) return { error: { code: IN_PROGRESS } }
  }
  const applied = applyAll({ turn, origin, database }, changes, parts)
  if ('error' in applied && applied.error.code === 'SERVICE_UNAVAILABLE') {
    // The key stays free: the same request may be accepted in a moment.
    if (claim) keep(turn, claim.idempotency, 0, { claim: null, in_doubt: false }, row?.created_at ?? turn.now)
    return applied
  }
  if (answer === null) {
    if (claim) keep(turn, claim.idempotency, 0, { claim: null, in_doubt }, row?.created_at ?? turn.now)
    return {}
  }
  const result =
    'error' in applied ? applied : 'record' in answer ? { status: answer.status, body: applied.record } : answer
  if (!claim) return result
  // After a request in doubt the key stays bound to its body.
  if (leavesKeyFree(result) && !(row && heldBy(row)?.in_doubt)) forget(turn, claim.idempotency)
  else keep(turn, claim.idempotency, statusOf(result), stored(result, false, '', database), row?.created_at ?? turn.now)
  return result
}

/** Throws for a change of a later version: the node that did the operation is told that nothing was stored. */
function partOf(parts: Changes, { type }: AnyChange): Change<AnyChange> {
  const part = parts.get(type)
  if (!part) throw new Error(`this version has no change ${type}`)
  return part
}

/** The record of the last change, or the refusal of a change. */
function applyAll(
  where: { turn: ProjectTurn; origin: Origin | undefined; database: Database },
  changes: AnyChange[],
  parts: Changes,
): { record: object | undefined } | Extract<CommandResult, { error: unknown }> {
  try {
    const apply = (change: AnyChange) => {
      const { audit, apply } = partOf(parts, change)
      return withAudit(
        where,
        audit,
        change,
        () => apply(where.turn, change, where.origin),
        (record) => record,
      )
    }
    return { record: changes.map(apply).at(-1) }
  } catch (error) {
    // Only a conclusion of one change may be refused: nothing has changed then.
    if (changes.length > 1) throw error
    if (error instanceof Unavailable) return unavailable(error)
    if (!(error instanceof Refusal)) throw error
    return { error: { code: error.code as ErrorCode, message: error.text, details: error.details } }
  }
}

/** Gives the key up: the next request with it may have another body. */
function forget(turn: ProjectTurn, { route, key }: Key): void {
  turn.remove(Idempotency, { project_id: turn.state.project_id, route, key })
  turn.records.of(answerReads).delete(answerKey({ route, key }))
}

function keep(turn: ProjectTurn, key: Key, status: number, body: unknown, created_at: Date): void {
  const { value_hash = null, ...rest } = key
  const row: Idempotency = { project_id: turn.state.project_id, ...rest, value_hash, status, body, created_at }
  turn.upsert(Idempotency, row)
  turn.records.of(answerReads).set(answerKey(key), row)
}
