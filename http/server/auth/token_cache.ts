/**
 * Maps an `Authorization` header to the bearer of its token.
 *
 * Only immutable facts are cached: token, project, company and user. The project actor checks for each request whether
 * the token is still valid, so the cache cannot serve a revoked one. Failed look-ups are not cached: a token made a
 * moment later must work.
 */
import type { RequestProtocol } from '../../../actors/mod.ts'
import type { Address } from '../../../runtime/mod.ts'
import {
  type Database,
  findTokenByHash,
  hashToken,
  isWellFormedToken,
  type TokenIdentity,
} from '../../../storage/mod.ts'
import { ReadLimiter } from '../limits/read_limiter.ts'

export type Caller = TokenIdentity & { address: Address<RequestProtocol> }

/** `check` is called when the look-up begins; it throws when the look-up must not be made any more. */
type LookUp = (hash: string, check: () => void) => Promise<TokenIdentity | undefined>

/**
 * Maximum concurrent look-ups, one statement for all of them. Tokens with correct check digits are easily made up, so
 * their look-ups take no place of the API's reads.
 */
const MAX_LOOK_UPS = 64

const SCHEME = /^Bearer /i

/** Looks tokens up in the database. */
export function tokenLookUp(database: Database): LookUp {
  const look_ups = new ReadLimiter(MAX_LOOK_UPS)
  return async (hash, check) =>
    look_ups.run(() => {
      check()
      return findTokenByHash(database, hash)
    })
}

export class TokenCache {
  readonly #look_up: LookUp
  readonly #half: number
  /** Two generations: a full young one replaces the old one, so memory is bounded and a hit costs one look-up. */
  #young = new Map<string, Caller>()
  #old = new Map<string, Caller>()
  readonly #pending = new Map<string, Promise<Caller | undefined>>()

  /** `capacity` counts tokens. */
  constructor(look_up: LookUp, capacity = 20_000) {
    this.#look_up = look_up
    this.#half = Math.ceil(capacity / 2)
  }

  /** The caller if its token was used lately. */
  known(header: string): Caller | undefined {
    const caller = this.#young.get(header)
    if (caller !== undefined) return caller
    const older = this.#old.get(header)
    if (older !== undefined) this.#keep(header, older)
    return older
  }

  /** True when the header holds a token with correct check digits; any other is refused without a look-up. */
  plausible(header: string): boolean {
    return SCHEME.test(header) && isWellFormedToken(header.slice(7))
  }

  /** Looks the token up; concurrent requests share the look-up. Rejects with what `check` throws. */
  find(header: string, check = () => {}): Promise<Caller | undefined> {
    const pending = this.#pending.get(header)
    if (pending) return pending
    const found = this.#look_up(hashToken(header.slice(7)), check)
      .then((identity) => {
        if (!identity) return undefined
        const caller: Caller = { ...identity, address: `project/${identity.project_id}` }
        this.#keep(header, caller)
        return caller
      })
      .finally(() => this.#pending.delete(header))
    this.#pending.set(header, found)
    return found
  }

  #keep(header: string, caller: Caller): void {
    if (this.#young.size >= this.#half) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(header, caller)
  }
}
