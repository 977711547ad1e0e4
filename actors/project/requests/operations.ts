/**
 * Operations: requests whose work is done at the provider, by the node that took them, while the client waits. The
 * project sees two turns of each: one that admits it and, under an idempotency key, claims the key; and one that
 * concludes it: what changed, its events and the answer kept for repeats commit together.
 *
 *  O1 A key is claimed by one request at a time. Whoever comes meanwhile is told IDEMPOTENCY_IN_PROGRESS.
 *  O2 A claim ends with its conclusion, or by itself at `until`: a node that died cannot conclude, and nobody can tell
 *     for sure that it did. `until` lies beyond the time in which the one who claimed has to give up.
 *  O3 What is concluded too late, under a claim that another has by then, changes nothing.
 *  O4 An operation that came to no answer (the provider was not to be reached) leaves the key free: the client repeats
 *     the request under the same key. The next one is told when the one before may have had an effect at the provider.
 */
import { type Database, Idempotency } from '../../../storage/mod.ts'
import type { CommandResult } from '../turn/command_result.ts'
import type { Change, Receiver } from '../turn/feature.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { answerKey, answerReads, wantAnswer } from './answers.ts'
import type { Claimed, ClaimOperation, Idempotency as Key } from './request.ts'
import { replay, statusOf, stored } from './stored_answer.ts'

export type Claim = { idempotency: Key; claim_id: string }

/** The end of an operation. */
export type ConclusionOf<Change> = {
  claim?: Claim | undefined
  changes: Change[]
  /** Null when it came to none: the claim is let go. `record`: the answer is the record that was changed. */
  answer: { status?: number | undefined; record: true } | CommandResult | null
  in_doubt?: boolean | undefined
}

/** The body of the key's row until there is an answer. */
type Held = { claim: { id: string; until: number } | null; in_doubt: boolean }

/** The claim on the key; undefined when the row has the answer. */
export function heldBy(row: Idempotency): Held | undefined {
  return typeof row.body === 'object' && row.body !== null && 'claim' in row.body ? (row.body as Held) : undefined
}

type AnyChange = { type: string }
/** Each change that a conclusion may bring, by its type. */
export type Changes = ReadonlyMap<string, Change<AnyChange>>

const IN_PROGRESS = 'IDEMPOTENCY_IN_PROGRESS'

/** `earlier`: the row of the key, when it has one without an answer. */
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
  // A claim that ended by itself: its node may have come as far as the provider.
  const in_doubt = (held?.in_doubt ?? false) || (claim !== null && claim !== undefined && claim.id !== claim_id)
  keep(turn, key, 0, { claim: { id: claim_id, until: now + claim_ms }, in_doubt }, earlier?.created_at ?? turn.now)
  return { claimed: { in_doubt } }
}

/** From the node that did an operation at the provider: its end. */
export function receiveConclusions(parts: Changes): Receiver<ConclusionOf<AnyChange>, CommandResult> {
  return {
    reads(reads, { claim, changes }) {
      if (claim) wantAnswer(reads, claim.idempotency)
      for (const change of changes) parts.get(change.type)?.reads(reads, change)
    },
    receive: (turn, conclusion, { database }) => conclude(turn, conclusion, parts, database),
  }
}

function conclude(
  turn: ProjectTurn,
  { claim, changes, answer, in_doubt = false }: ConclusionOf<AnyChange>,
  parts: Changes,
  database: Database,
): CommandResult {
  const row = claim && turn.records.of(answerReads).get(answerKey(claim.idempotency))
  if (claim && row) {
    const held = heldBy(row)
    // Concluded before: this is the same conclusion once more, or one that comes too late.
    if (!held) return replay(row, database)
    if (held.claim?.id !== claim.claim_id) return { error: { code: IN_PROGRESS } }
  }
  const record = changes.map((change) => parts.get(change.type)?.apply(turn, change)).at(-1)
  if (answer === null) {
    if (claim) keep(turn, claim.idempotency, 0, { claim: null, in_doubt }, row?.created_at ?? turn.now)
    return {}
  }
  const result: CommandResult = 'record' in answer ? { status: answer.status, body: record } : answer
  if (claim) {
    const body = stored(result, false, '', database)
    keep(turn, claim.idempotency, statusOf(result), body, row?.created_at ?? turn.now)
  }
  return result
}

function keep(turn: ProjectTurn, key: Key, status: number, body: unknown, created_at: Date): void {
  const row: Idempotency = { project_id: turn.state.project_id, ...key, status, body, created_at }
  turn.upsert(Idempotency, row)
  turn.records.of(answerReads).set(answerKey(key), row)
}
