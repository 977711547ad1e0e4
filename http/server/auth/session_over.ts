/** Announces to all nodes that a session ended before its time, so that its open sockets are closed. */
import type { Runtime } from '../../../runtime/mod.ts'

/** The subject; the message is the session's hash. */
export const SESSION_OVER = 'console.session_over'

/** A node that misses the announcement finds the session gone at its next check. */
export function saySessionsOver(runtime: Runtime, hashes: readonly string[]): void {
  for (const hash of hashes) runtime.bus.publish(SESSION_OVER, hash)
}
