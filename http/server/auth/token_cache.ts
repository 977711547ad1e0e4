/**
 * From the `Authorization` header to whose token it is.
 *
 * Only what never changes is kept: which token, project, company and user. Whether the token still counts is asked of
 * the project actor for each request, so nothing here can serve a revoked one. What is not found is not kept: a token
 * made a moment later must work.
 */
import type { RequestProtocol } from '../../../actors/mod.ts'
import type { Address } from '../../../runtime/mod.ts'
import { hashToken, isWellFormedToken, type TokenIdentity } from '../../../storage/mod.ts'

export type Caller = TokenIdentity & { address: Address<RequestProtocol> }

type LookUp = (hash: string) => Promise<TokenIdentity | undefined>

const SCHEME = /^Bearer /i

export class TokenCache {
  readonly #look_up: LookUp
  readonly #half: number
  /** Two generations: filling the young one drops the old one, so memory is bounded and a hit costs one look. */
  #young = new Map<string, Caller>()
  #old = new Map<string, Caller>()
  readonly #pending = new Map<string, Promise<Caller | undefined>>()

  /** `capacity` counts tokens. */
  constructor(look_up: LookUp, capacity = 20_000) {
    this.#look_up = look_up
    this.#half = Math.ceil(capacity / 2)
  }

  /** The caller if it was seen lately. */
  known(header: string): Caller | undefined {
    const caller = this.#young.get(header)
    if (caller !== undefined) return caller
    const older = this.#old.get(header)
    if (older !== undefined) this.#keep(header, older)
    return older
  }

  /** Whether the header holds a token whose check digits are right; anything else needs no look-up to be refused. */
  plausible(header: string): boolean {
    return SCHEME.test(header) && isWellFormedToken(header.slice(7))
  }

  /** Looks the token up; requests that come meanwhile share the look-up. */
  find(header: string): Promise<Caller | undefined> {
    const pending = this.#pending.get(header)
    if (pending) return pending
    const found = this.#look_up(hashToken(header.slice(7)))
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
