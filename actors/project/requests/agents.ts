/** Admission of agents: the session must be valid, its user an agent of the company, in the turn that does the work. */
import { listAgentsAt, type User } from '../../../storage/mod.ts'
import type { Admission } from '../turn/admission.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import type { Agent } from './request.ts'

/** The users of valid sessions, by the hash of the session: one query for all agents of a turn. */
export const agentReads: ReadKind<Set<string>, Map<string, Pick<User, '_id' | 'permissions'>>> = {
  keys: () => new Set(),
  found: () => new Map(),
  async read(found, hashes, { database, state: { project_id } }) {
    if (hashes.size === 0) return
    for (const [hash, user] of await listAgentsAt(database, project_id, [...hashes])) found.set(hash, user)
  },
}

/**
 * The session as the turn has read it. A session that ends between this read and the commit ends after the change: an
 * answered sign-out is seen by every turn that begins later.
 */
export function admitAgent({ state, records }: ProjectTurn, { user_id, session, permission }: Agent): Admission {
  const user = state.exists ? records.of(agentReads).get(session) : undefined
  if (user?._id !== user_id) return { ok: false, code: 'SESSION_OVER' }
  if (permission === undefined || user.permissions.includes(permission)) return { ok: true }
  return { ok: false, code: 'INSUFFICIENT_PERMISSION', required: permission }
}
