/** Said on all nodes when a session ends before its time, so that its open sockets end with it. */
import type { Runtime } from '../../../runtime/mod.ts'

/** The subject; what is said is the session's hash. */
export const SESSION_OVER = 'console.session_over'

/** Whoever does not hear it learns it at the next check of the session, which is not there any more. */
export function saySessionsOver(runtime: Runtime, hashes: readonly string[]): void {
  for (const hash of hashes) runtime.bus.publish(SESSION_OVER, hash)
}
