/** Limits on sign-in attempts. */
export { type SignInProtocol, signInActor } from './actor.ts'
export { beginSignIn, type SignInAttempt } from './attempt.ts'
