/** A try to sign in, counted for whoever makes it before the password is looked at. */
import { createHash, randomUUID } from 'node:crypto'
import type { Address, Runtime } from '../../runtime/mod.ts'
import { refuse } from '../refuse.ts'
import type { SignInBound, SignInProtocol } from './actor.ts'

const REPEATABLE = { repeatable: true }

export type SignInAttempt = {
  /** It succeeded, or was not made after all: it does not count. Never rejects; a try that cannot be forgiven counts on. */
  forgive(): Promise<void>
}

/**
 * Counts a try for an e-mail address (in the case in which addresses are compared) from the address of a client.
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
  // The narrowest bound first: who is beyond it takes no room within the others, not even for a moment.
  const actors = [actorOf('both', email, address), actorOf('address', address), actorOf('email', email)]
  const message = { type: 'begin' as const, id }
  // A no that is known here is told before anything is written: who is beyond a bound makes no work with ever new addresses.
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

/** What people typed is not fit for an address, and need not be kept. */
function actorOf(bound: SignInBound, ...whom: string[]): Address<SignInProtocol> {
  return `sign_in/${bound}:${createHash('sha256').update(JSON.stringify(whom)).digest('hex')}`
}
