import { findTokens, type TokenState } from '../../../storage/mod.ts'
import type { Refresh } from '../turn/feature.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectState } from '../turn/state.ts'
import { identities } from './identities.ts'

/** Tokens by id; undefined for one that was deleted. */
export const tokenReads: ReadKind<Set<string>, Map<string, TokenState | undefined>> = {
  keys: () => new Set(),
  found: () => new Map(),
  async read(found, ids, { database, state: { project_id } }) {
    for (const id of ids) found.set(id, undefined)
    for (const token of await findTokens(database, project_id, [...ids])) found.set(token.token_id, token)
  },
}

/** A token was created, changed or revoked. */
export const refreshToken: Refresh = {
  reads(reads, id) {
    reads.of(tokenReads).add(id)
  },
  refresh(turn, id) {
    forgetIdentities.refresh(turn)
    takeToken(turn.state, id, turn.records.of(tokenReads).get(id))
  },
}

/**
 * Takes a token as stored into memory. A revocation is final: the row may have been read before a revocation in the
 * same turn, and must not undo it. For the same reason the last use never goes back.
 */
export function takeToken({ tokens }: ProjectState, id: string, stored: TokenState | undefined): void {
  const known = tokens.get(id)
  if (stored === undefined) tokens.delete(id)
  else if (known === undefined) tokens.set(id, stored)
  else if (known.revoked_at === null) {
    tokens.set(id, { ...stored, last_used_ms: Math.max(stored.last_used_ms, known.last_used_ms) })
  }
}

/** Ends a token in memory, in the turn that revokes it. */
export function endToken(state: ProjectState, id: string, revoked_at: Date): void {
  const known = state.tokens.get(id)
  if (known) known.revoked_at = revoked_at
  identities.of(state).delete(id)
}

/** Drops the answers of `GET /v1/me`: any refresh may have changed a name in them. */
export const forgetIdentities = {
  refresh({ state }) {
    identities.of(state).clear()
  },
} satisfies Refresh
