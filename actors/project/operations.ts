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
import { Idempotency } from '../../storage/mod.ts'
import { type CreateBroadcast, createBroadcast } from './broadcasts.ts'
import type { ProjectTurn } from './events.ts'
import { changeFlow, type FlowChange, registerFlow, removeFlow } from './flows.ts'
import { markRead, type ReadMessages } from './mark_read.ts'
import type { CommandResult, Idempotency as Key } from './request.ts'

/** `claim_id`: made by the node for this very request, so that asking twice claims once. */
export type ClaimOperation = { type: 'claim_operation'; claim_id: string; claim_ms: number }

/** `in_doubt`: an earlier request under this key may have had an effect at the provider. */
export type Claimed = { claimed: { in_doubt: boolean } }

export type Claim = { idempotency: Key; claim_id: string }

export type Change = FlowChange | CreateBroadcast | ReadMessages

export type Conclusion = {
  claim?: Claim | undefined
  changes: Change[]
  /** Null when it came to none: the claim is let go. `record`: the answer is the record that was changed. */
  answer: { status?: number | undefined; record: true } | CommandResult | null
  in_doubt?: boolean | undefined
}

/** The body of the key's row until there is an answer. */
type Held = { claim: { id: string; until: number } | null; in_doubt: boolean }

export function heldBy(row: Idempotency): Held | undefined {
  return typeof row.body === 'object' && row.body !== null && 'claim' in row.body ? (row.body as Held) : undefined
}

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

/** `replay` reads an answer back, `store` makes it what is kept. */
export function concludeOperation(
  turn: ProjectTurn,
  { claim, changes, answer, in_doubt = false }: Conclusion,
  replay: (row: Idempotency) => CommandResult,
  store: (answer: CommandResult) => { status: number; body: unknown },
): CommandResult {
  const row = claim && turn.records.answers.get(`${claim.idempotency.route} ${claim.idempotency.key}`)
  if (claim && row) {
    const held = heldBy(row)
    // Concluded before: this is the same conclusion once more, or one that comes too late.
    if (!held) return replay(row)
    if (held.claim?.id !== claim.claim_id) return { error: { code: IN_PROGRESS } }
  }
  const record = changes.map((change) => apply(turn, change)).at(-1)
  if (answer === null) {
    if (claim) keep(turn, claim.idempotency, 0, { claim: null, in_doubt }, row?.created_at ?? turn.now)
    return {}
  }
  const result: CommandResult = 'record' in answer ? { status: answer.status, body: record } : answer
  if (claim) {
    const { status, body } = store(result)
    keep(turn, claim.idempotency, status, body, row?.created_at ?? turn.now)
  }
  return result
}

function keep(turn: ProjectTurn, key: Key, status: number, body: unknown, created_at: Date): void {
  const row: Idempotency = { project_id: turn.state.project_id, ...key, status, body, created_at }
  turn.upsert(Idempotency, row)
  turn.records.answers.set(`${key.route} ${key.key}`, row)
}

function apply(turn: ProjectTurn, change: Change): object | undefined {
  switch (change.type) {
    case 'create_broadcast':
      return createBroadcast(turn, change)
    case 'register_flow':
      return registerFlow(turn, change)
    case 'change_flow':
      return changeFlow(turn, change)
    case 'remove_flow':
      return removeFlow(turn, change)
    case 'read_messages':
      markRead(turn, change)
      return undefined
  }
}
