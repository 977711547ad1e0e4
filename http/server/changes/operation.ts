/**
 * An operation: a request whose work is done at a provider while the client waits, so it is neither a read nor a
 * command of the project's turn. The project admits it (and claims its idempotency key), this node does the work, and
 * the project concludes it: the changes and the answer for repeats commit together.
 * `actors/project/requests/operations.ts` has the rules of the key.
 */
import { randomUUID } from 'node:crypto'
import type {
  Claim,
  Claimed,
  ClaimOperation,
  CommandResult,
  Conclusion,
  ErrorCode,
  Idempotency,
  ProviderFailure,
  RequestProtocol,
} from '../../../actors/mod.ts'
import { type Address, Refusal, type Runtime } from '../../../runtime/mod.ts'
import type { Origin } from '../../../storage/mod.ts'

export type OperationLimits = {
  /** Milliseconds for all calls of the provider together. */
  deadline_ms: number
  /** Milliseconds after which a claim expires. */
  claim_ms: number
}

/** People and their clients wait half a minute at most. */
const DEADLINE_MS = 20_000
/** 100 MiB in five minutes are 2.8 Mbit/s. */
const UPLOAD_FACTOR = 15
/** Time for the project's answer to the claim, for cleaning up at the provider, and for the conclusion. */
const MARGIN_MS = 40_000

export function operationLimits({
  deadline_ms = DEADLINE_MS,
  claim_ms,
}: Partial<OperationLimits> = {}): OperationLimits {
  return { deadline_ms, claim_ms: claim_ms ?? deadline_ms + MARGIN_MS }
}

/** Limits for work that follows an upload: a large file may have to be passed on. */
export function uploadLimits({ deadline_ms }: OperationLimits): OperationLimits {
  return operationLimits({ deadline_ms: deadline_ms * UPLOAD_FACTOR })
}

/** Limits of a route whose work may last for `lasts_ms`; undefined for one that works as long as others. */
export function limitsLasting(operations: OperationLimits, lasts_ms: number | undefined): OperationLimits {
  return lasts_ms === undefined ? operations : operationLimits({ deadline_ms: lasts_ms })
}

/** Context of a route that works at a provider, beside its input. */
export type Operation = {
  /** Deadline of all provider calls, as of `performance.now()`. */
  deadline: number
  /** An earlier request under the same key may have had an effect at the provider; its answer was lost. */
  in_doubt: boolean
  /** Aborted when the client leaves. */
  signal: AbortSignal
}

/** Result of the work. `record`: the answer is the record that was changed last. */
export type Outcome = Pick<Conclusion, 'changes'> & {
  answer: NonNullable<Conclusion['answer']>
  /** Runs after the project has stored or refused the changes. Its failure changes nothing for the client. */
  settle?: () => Promise<void>
}

/** The provider could not do it now. The key stays free: the same request may be made again. */
export class UpstreamFailure extends Error {
  readonly code: ErrorCode
  readonly retry_after_s: number
  /** The provider may have done it nevertheless. */
  readonly in_doubt: boolean

  constructor(
    code: ErrorCode,
    { message, retry_after_s, maybe_accepted }: Pick<ProviderFailure, 'message' | 'retry_after_s' | 'maybe_accepted'>,
  ) {
    super(message)
    this.name = 'UpstreamFailure'
    this.code = code
    this.retry_after_s = Math.min(Math.max(retry_after_s ?? RETRY_AFTER_S, 1), MAX_RETRY_S)
    this.in_doubt = maybe_accepted
  }
}

const RETRY_AFTER_S = 5
const MAX_RETRY_S = 300

/** The claim that goes to the project with the admission of a request that carries a key. */
export function claimOf({ claim_ms }: OperationLimits): ClaimOperation {
  return { type: 'claim_operation', claim_id: randomUUID(), claim_ms }
}

type Started = {
  runtime: Runtime
  project: Address<RequestProtocol>
  limits: OperationLimits
  /** The key and the project's answer to its claim; undefined without a key. */
  claim: { key: Idempotency; command: ClaimOperation; claimed: Claimed['claimed'] } | undefined
  /** The caller, for the audit. */
  origin: Origin | undefined
  signal: AbortSignal
}

/** Does the work and concludes it. Rejects for errors without an answer: faults, and a project that cannot be reached. */
export async function runOperation(
  { runtime, project, limits, claim, origin, signal }: Started,
  act: (operation: Operation) => Promise<Outcome>,
): Promise<CommandResult> {
  const held: Claim | undefined = claim && { idempotency: claim.key, claim_id: claim.command.claim_id }
  const conclude = (conclusion: Omit<Conclusion, 'claim'>) =>
    runtime.ask(project, { type: 'conclude', claim: held, origin, ...conclusion }, { repeatable: true })
  let outcome: Outcome
  try {
    outcome = await act({
      deadline: performance.now() + limits.deadline_ms,
      in_doubt: claim?.claimed.in_doubt ?? false,
      signal,
    })
  } catch (error) {
    if (error instanceof Refusal) {
      const { code, text, details } = error
      outcome = { changes: [], answer: { error: { code: code as ErrorCode, message: text, details } } }
    } else {
      const in_doubt = error instanceof UpstreamFailure ? error.in_doubt || claim?.claimed.in_doubt : true
      // If this fails too, the claim expires.
      if (held) await conclude({ changes: [], answer: null, in_doubt }).catch(() => {})
      if (!(error instanceof UpstreamFailure)) throw error
      const { code, message, retry_after_s } = error
      return { error: { code, message, retry_after: retry_after_s } }
    }
  }
  const { settle, ...conclusion } = outcome
  if (held || conclusion.changes.length > 0) return settled(await conclude(conclusion), settle)
  return 'record' in outcome.answer ? {} : outcome.answer
}

/** Completes the work of an operation that the project has concluded. */
export async function settled(result: CommandResult, settle: Outcome['settle']): Promise<CommandResult> {
  await settle?.().catch(() => {})
  return result
}
