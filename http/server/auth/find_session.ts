/** Finds the session of a request, and renews it. */
import type { Log } from '../../../runtime/mod.ts'
import { type Database, findSession, isObjectId, type LiveSession, renewSessions } from '../../../storage/mod.ts'
import { ReadLimiter } from '../limits/read_limiter.ts'

/**
 * Maximum concurrent look-ups of sessions, two statements for all of them. Cookies are easily made up, so they take no
 * place of the API's reads.
 */
const MAX_LOOK_UPS = 64

/** The session of a request. `project_id` is that of its path; empty without one, and when the company has no such project. */
export type RequestSession = LiveSession & { project_id: string }
/** `check` is called when the look-up begins; it throws when the look-up must not be made any more. */
export type FindSession = (
  hash: string,
  project_id: string | undefined,
  check: () => void,
) => Promise<RequestSession | undefined>

export function sessionFinder(database: Database, log: Log): FindSession {
  const read_limiter = new ReadLimiter(MAX_LOOK_UPS)
  /** Hashes of sessions being renewed: one renewal serves all requests with the same session. */
  const renewing = new Set<string>()
  return async (hash, project_id, check) => {
    const project = project_id !== undefined && isObjectId(project_id) ? project_id : null
    const session = await read_limiter.run(() => {
      check()
      return findSession(database, { hash, project_id: project })
    })
    if (session && !session.is_fresh && !renewing.has(hash)) {
      renewing.add(hash)
      // Not awaited; the next request repeats a failed renewal.
      renewSessions(database, [hash])
        .catch((error) => log.warn({ error: error.message }, 'renewing a session failed'))
        .finally(() => renewing.delete(hash))
    }
    return session && { ...session, project_id: session.project_id ?? '' }
  }
}
