/**
 * The permission of slow work to begin something outside. It is given while the state that decided on it is held: between
 * the decision and the first byte that leaves may be a stand-still of any length, in which another node has taken over.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

const permits = new AsyncLocalStorage<() => boolean>()

/** Runs `work` so that whatever it calls can ask for its permission. */
export function permitted<Result>(permit: () => boolean, work: () => Result): Result {
  return permits.run(permit, work)
}

/**
 * How the work that runs now may ask, at any later time, whether it may still begin something outside. Outside of slow
 * work everything may begin.
 */
export function currentPermit(): () => boolean {
  return permits.getStore() ?? always
}

const always = () => true
