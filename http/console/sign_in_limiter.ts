/** Checks passwords: few at once, and with a limit on failures. */
import { beginSignIn } from '../../actors/mod.ts'
import { Refusal, type Runtime, Unavailable } from '../../runtime/mod.ts'
import { type Database, findSignIn, isAgent, verifyPassword } from '../../storage/mod.ts'
import { ConcurrencyLimiter } from '../server/limits/concurrency_limiter.ts'
import { ReadLimiter } from '../server/limits/read_limiter.ts'

/** Maximum concurrent password checks: each keeps a thread busy that files and names need, too. */
const MAX_CHECKS = 2
/** Maximum waiting sign-ins. More would be answered too late. */
const MAX_SIGN_INS = 64
/** Maximum of these for one client address, so that no address blocks all others. */
const MAX_OF_ONE = 16
/** Maximum concurrent look-ups of users, so that sign-ins take few connections. */
const MAX_LOOK_UPS = 2

export class SignInLimiter {
  readonly #limiter = new ConcurrencyLimiter(MAX_SIGN_INS)
  /** Sign-ins under way, by client address. */
  readonly #inside = new Map<string, number>()
  readonly #look_ups = new ReadLimiter(MAX_LOOK_UPS)
  readonly #checks = new ReadLimiter(MAX_CHECKS)

  /**
   * The agent with these credentials. Every wrong input leads to the same work and the same answer.
   * @throws {Refusal} UNAUTHENTICATED, SIGN_IN_THROTTLED
   * @throws {Unavailable}
   */
  async admit(
    database: Database,
    runtime: Runtime,
    { email, password }: { email: string; password: string },
    address: string,
  ): Promise<{ user_id: string; password_hash: string }> {
    this.#enter(address)
    try {
      const { email: account, user } = await this.#look_ups.run(() => findSignIn(database, email.trim()))
      const attempt = await beginSignIn(runtime, { email: account, address })
      let failed = false
      try {
        const fits = await this.#checks.run(() => verifyPassword(password, user?.password_hash))
        failed = !fits || !user || !isAgent(user)
        if (failed) throw new Refusal('UNAUTHENTICATED')
        return { user_id: user!._id, password_hash: user!.password_hash! }
      } finally {
        if (!failed) await attempt.forgive()
      }
    } finally {
      this.#leave(address)
    }
  }

  #enter(address: string): void {
    const others = this.#inside.get(address) ?? 0
    if (others >= MAX_OF_ONE || !this.#limiter.enter())
      throw new Unavailable('Too many sign in.', this.#limiter.refuse())
    this.#inside.set(address, others + 1)
  }

  #leave(address: string): void {
    this.#limiter.leave(true)
    const others = this.#inside.get(address)! - 1
    if (others > 0) this.#inside.set(address, others)
    else this.#inside.delete(address)
  }
}
