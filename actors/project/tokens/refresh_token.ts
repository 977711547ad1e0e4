import { findToken, type TokenState } from '../../../storage/mod.ts'
import type { Refresh } from '../turn/feature.ts'
import type { ReadKind } from '../turn/records.ts'
import { identities } from './identities.ts'

/** Tokens by id. A deleted token is missing. */
const tokenReads: ReadKind<Set<string>, Map<string, TokenState>> = {
  wanted: () => new Set(),
  found: () => new Map(),
  read: (found, ids, { database, state: { project_id } }) =>
    Promise.all(
      [...ids].map(async (id) => {
        const token = await findToken(database, project_id, id)
        if (token) found.set(id, token)
      }),
    ),
}

/** A token was created, changed or revoked. */
export const refreshToken: Refresh = {
  reads(reads, id) {
    reads.of(tokenReads).add(id)
  },
  refresh(turn, id) {
    forgetIdentities.refresh(turn)
    const token = turn.records.of(tokenReads).get(id)
    const known = turn.state.tokens.get(id)
    if (token && known) token.last_used_ms = Math.max(token.last_used_ms, known.last_used_ms)
    if (token) turn.state.tokens.set(id, token)
    else turn.state.tokens.delete(id)
  },
}

/** Drops the answers of `GET /v1/me`: any refresh may have changed a name in them. */
export const forgetIdentities = {
  refresh({ state }) {
    identities.of(state).clear()
  },
} satisfies Refresh
