/** Admission of requests: token, then rate windows, then scope. */

import { draw, type Pool, type WindowName, type Windows } from './rate_windows.ts'
import type { ProjectState } from './state.ts'

export type Admission =
  | { ok: true; windows?: Windows | undefined }
  /** The token is unknown, revoked or expired, or its owner is deactivated. The answer does not tell which. */
  | { ok: false; code: 'UNAUTHENTICATED' }
  /** The session of an agent has ended. */
  | { ok: false; code: 'SESSION_OVER' }
  | { ok: false; code: 'INSUFFICIENT_PERMISSION'; required: string }
  | { ok: false; code: 'THROTTLED'; windows: Windows; exceeded: WindowName[] }
  | { ok: false; code: 'INSUFFICIENT_SCOPE'; windows?: Windows | undefined; required: string[]; missing: string[] }

const UNAUTHENTICATED: Admission = { ok: false, code: 'UNAUTHENTICATED' }

/** Counts an admitted request, except one that only looks. */
export function admit(
  state: ProjectState,
  request: {
    token_id: string
    pool: Pool
    draws?: Pool | undefined
    scope?: string | undefined
    looks?: Pool | undefined
  },
  now: number,
): Admission {
  const { looks, draws } = request
  const token = state.tokens.get(request.token_id)
  if (!token?.user_is_active || token.revoked_at) return UNAUTHENTICATED
  if (token.expires_at && token.expires_at.getTime() <= now) return UNAUTHENTICATED
  const { exceeded, windows } = draw(
    state.counts,
    state.limits,
    looks ?? draws ?? request.pool,
    now,
    looks !== undefined,
  )
  if (exceeded.length > 0) return { ok: false, code: 'THROTTLED', windows: windows!, exceeded }
  const { scope } = request
  if (scope !== undefined && !token.scopes.includes(scope)) {
    return { ok: false, code: 'INSUFFICIENT_SCOPE', windows, required: [scope], missing: [scope] }
  }
  return { ok: true, windows }
}
