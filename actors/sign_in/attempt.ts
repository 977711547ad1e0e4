/** A sign-in attempt, counted before the password is checked. */
import { createHash, randomUUID } from 'node:crypto'
import type { Address, Runtime } from '../../runtime/mod.ts'
import { refuse } from '../refuse.ts'
import type { SignInBound, SignInProtocol } from './actor.ts'

const REPEATABLE = { repeatable: true }

export type SignInAttempt = {
  /**
   * The attempt succeeded, or was not made after all: it does not count. Never rejects; if this fails, the attempt goes
   * on counting.
   */
  forgive(): Promise<void>
}

/**
 * Counts an attempt for an e-mail address (in the case in which addresses are compared) from a client address.
 * @throws {Refusal} SIGN_IN_THROTTLED when there were too many; `details.retry_after` is in seconds
 * @throws {Unavailable}
 */
export async function beginSignIn(
  runtime: Runtime,
  { email, address }: { email: string; address: string },
): Promise<SignInAttempt> {
  const id = randomUUID()
  const begun: Address<SignInProtocol>[] = []
  const forgive = async () => {
    await Promise.allSettled(begun.map((actor) => runtime.ask(actor, { type: 'forgive', id }, REPEATABLE)))
  }
  // The narrowest limit first: an attempt beyond it takes no room within the others, not even for a moment.
  const actors = [actorOf('both', email, address), actorOf('address', address), actorOf('email', email)]
  const message = { type: 'begin' as const, id }
  // A refusal that is known here comes before any write: beyond a limit, ever new addresses cause no work.
  for (const actor of actors) mustBeLetIn(runtime.tryAsk(actor, message))
  for (const actor of actors) {
    try {
      mustBeLetIn(await runtime.ask(actor, message, REPEATABLE))
      begun.push(actor)
    } catch (error) {
      await forgive()
      throw error
    }
  }
  return { forgive }
}

function mustBeLetIn(answer: SignInProtocol['begin']['reply'] | undefined): void {
  if (answer?.ok === false) throw refuse('SIGN_IN_THROTTLED', { retry_after: answer.retry_after_s })
}

/** Hashed, because typed text does not fit into an address and need not be stored. */
function actorOf(bound: SignInBound, ...whom: string[]): Address<SignInProtocol> {
  return `sign_in/${bound}:${createHash('sha256').update(JSON.stringify(whom)).digest('hex')}`
}
