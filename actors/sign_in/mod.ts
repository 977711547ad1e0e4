/** Tries to sign in, and how many there may be. */
export { type SignInProtocol, signInActor } from './actor.ts'
export { beginSignIn, type SignInAttempt } from './attempt.ts'
