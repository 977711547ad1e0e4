/** Finds the session of a request, and keeps it alive. */
import type { Log } from '../../runtime/mod.ts'
import { type Database, findSession, isObjectId, type LiveSession, renewSession } from '../../storage/mod.ts'
import type { Readers } from '../readers.ts'

/** Of a request. `project_id` is that of its path; empty without one, and when the company has no such project. */
export type RequestSession = LiveSession & { project_id: string }
export type FindSession = (hash: string, project_id: string | undefined) => Promise<RequestSession | undefined>

export function sessionFinder(database: Database, readers: Readers, log: Log): FindSession {
  return async (hash, project_id) => {
    const wanted = project_id !== undefined && isObjectId(project_id) ? project_id : null
    const session = await readers.run(() => findSession(database, { hash, project_id: wanted }))
    if (session && !session.is_fresh) {
      // Nobody waits for it; what fails is tried again with the next request.
      renewSession(database, hash).catch((error) => log.warn({ error: error.message }, 'a session was not renewed'))
    }
    return session && { ...session, project_id: session.project_id ?? '' }
  }
}
