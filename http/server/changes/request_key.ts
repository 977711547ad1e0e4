/**
 * The idempotency key of a change by an operator. The request takes the key first (`storage/operator_requests.ts`), then
 * makes its change exactly once: a transaction stores the answer itself (`keep`), and a command goes to its project with
 * the key, where the answer is stored in the turn.
 */
import { randomUUID } from 'node:crypto'
import {
  type CommandResult,
  type Idempotency,
  isErrorCode,
  isSameRequest,
  leavesKeyFree,
  replay,
  statusOf,
  stored,
} from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { claimRequest, type Database, freeKey, type HeldRequest, keepAnswer, mendAnswer } from '../../../storage/mod.ts'

/** Seconds after which a client may ask for the answer of a request under way. */
const MAX_RETRY_S = 5

type Options = { claim_ms: number; answers_secret: boolean }

export class RequestKey {
  readonly #database: Database
  readonly #held: HeldRequest
  readonly #answers_secret: boolean
  #kept: { body: unknown } | undefined
  #project_id: string | undefined

  constructor(database: Database, held: HeldRequest, answers_secret: boolean) {
    this.#database = database
    this.#held = held
    this.#answers_secret = answers_secret
  }

  /** For a command of a project, which then runs once under the key. The stored answer names the project, for erasures. */
  idempotencyIn(project_id: string): Idempotency {
    this.#project_id = project_id
    const { claim: _, ...idempotency } = this.#held
    return idempotency
  }

  /** Names this request among all that may have the key. */
  get claim(): string {
    return this.#held.claim
  }

  /**
   * Stores the answer in the transaction of the change.
   * @param joined the handle of that transaction
   * @throws {Refusal} IDEMPOTENCY_IN_PROGRESS when another request has the key by now
   */
  async keep(joined: Pick<Database, 'execute'>, answer: unknown): Promise<void> {
    const body = this.#stored({ body: answer })
    if (!(await keepAnswer(joined, this.#held, { status: 0, body }))) throw new Refusal('IDEMPOTENCY_IN_PROGRESS')
    this.#kept = { body }
  }

  /** Stores the answer that the client gets. */
  async settle(result: CommandResult): Promise<void> {
    const body = this.#stored(result)
    if (this.#kept) await mendAnswer(this.#database, this.#held, this.#kept.body, body)
    else await keepAnswer(this.#database, this.#held, { status: statusOf(result), body })
  }

  /** Gives the key up after a request that changed nothing, or of which that is not known: the change has the key, too. */
  async free(): Promise<void> {
    await freeKey(this.#database, this.#held)
  }

  /** True when the change is committed, whatever follows. */
  get is_kept(): boolean {
    return this.#kept !== undefined
  }

  #stored(result: CommandResult) {
    const { route, key } = this.#held
    const body = stored(result, this.#answers_secret, ` ${route} ${key}`, this.#database)
    return this.#project_id === undefined || 'sealed' in body ? body : { ...body, project_id: this.#project_id }
  }
}

/**
 * Makes a change under its key, or returns the answer of the earlier request that made it.
 * @param change its answer is a plain value, and it may throw as a route may
 */
export async function changeOnce(
  database: Database,
  request: Idempotency,
  { claim_ms, answers_secret }: Options,
  change: (key: RequestKey) => Promise<unknown>,
): Promise<CommandResult> {
  const claimed = await claimRequest(database, request, { claim_id: randomUUID(), claim_ms })
  if (claimed.earlier) {
    const { earlier, retry_after_s } = claimed
    if (!isSameRequest(earlier, request)) return { error: { code: 'IDEMPOTENCY_KEY_REUSED' } }
    if (retry_after_s === undefined) return replay(earlier, database)
    return { error: { code: 'IDEMPOTENCY_IN_PROGRESS', retry_after: Math.min(MAX_RETRY_S, retry_after_s) } }
  }
  const key = new RequestKey(database, claimed.held, answers_secret)
  let result: CommandResult
  try {
    result = { json: JSON.stringify((await change(key)) ?? null) }
  } catch (error) {
    const refusal = refusalOf(error)
    if (!refusal || leavesKeyFree(refusal) || key.is_kept) {
      await key.free().catch(() => {})
      throw error
    }
    result = refusal
  }
  await key.settle(result)
  return result
}

function refusalOf(error: unknown): CommandResult | undefined {
  if (!(error instanceof Refusal) || !isErrorCode(error.code)) return undefined
  const { code, text, details } = error
  return { error: { code, message: text, details } }
}
