/** Finds the operator of an `Authorization` header. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Log } from '../../../runtime/mod.ts'
import {
  type Database,
  findOperator,
  hashToken,
  isWellFormedOperatorKey,
  type Operator,
  touchOperatorKey,
} from '../../../storage/mod.ts'
import { ReadLimiter } from '../limits/read_limiter.ts'

/**
 * Maximum concurrent look-ups. They share queries, so a stranger who makes up keys with correct check digits holds up
 * no operator.
 */
const MAX_LOOK_UPS = 500

const SCHEME = /^bearer /i

/** The bearer of the key of the settings. */
const ROOT: Operator = { id: null, name: 'root', role: 'admin' }

/**
 * The key of the settings is compared here, in a time that does not depend on it. All other keys are looked up for each
 * request: no cache can serve a revoked one.
 */
export class OperatorKeys {
  readonly #root: Buffer | undefined
  readonly #database: Database
  readonly #log: Log
  readonly #look_ups = new ReadLimiter(MAX_LOOK_UPS)
  /** Ids of keys whose use is being recorded. */
  readonly #touching = new Set<string>()

  constructor(database: Database, log: Log, root_key: string | undefined) {
    this.#database = database
    this.#log = log
    this.#root = root_key ? digest(root_key) : undefined
  }

  /** The operator when the header holds the key of the settings. */
  known(header: string): Operator | undefined {
    if (this.#root === undefined || !SCHEME.test(header)) return undefined
    return timingSafeEqual(digest(keyOf(header)), this.#root) ? ROOT : undefined
  }

  /** True when the header holds a key with correct check digits; any other is refused without a look-up. */
  plausible(header: string): boolean {
    return SCHEME.test(header) && isWellFormedOperatorKey(keyOf(header))
  }

  async find(header: string): Promise<Operator | undefined> {
    const found = await this.#look_ups.run(() => findOperator(this.#database, hashToken(keyOf(header))))
    if (!found) return undefined
    const { is_fresh, ...operator } = found
    if (!is_fresh) this.#touch(operator.id)
    return operator
  }

  /** Not awaited; the next request repeats a failed record. */
  #touch(id: string): void {
    if (this.#touching.has(id)) return
    this.#touching.add(id)
    touchOperatorKey(this.#database, id)
      .catch((error) => this.#log.warn({ error: error.message }, 'recording the use of an operator key failed'))
      .finally(() => this.#touching.delete(id))
  }
}

const keyOf = (header: string) => header.slice(7)

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
