/**
 * The last uses of a project's tokens. Each request notes its time in memory. The time is stored unless the stored one
 * is less than a minute older, so a token is written once a minute at most, and its stored time is up to a minute old.
 * The death of a node costs the uses of the last second. No actor is kept in memory for longer than this second.
 *
 * Only the project's actor writes these times, and it never writes an earlier one: not after a refresh of the token,
 * and not when the clock of its next node is behind.
 */
import { Token, type TokenState } from '../../../storage/mod.ts'
import type { Receiver } from '../turn/feature.ts'
import { Memory } from '../turn/memory.ts'
import type { ProjectState } from '../turn/state.ts'
import { takeToken, tokenReads } from './refresh_token.ts'

/** The ids of tokens whose use is to be stored. */
const uses = new Memory<Set<string>>(() => new Set())

/** A use within this time of the stored one is not stored. */
const EXACT_MS = 60_000
/** The tokens that are used within this time share a write. */
const GATHER_MS = 1000
const STORE = { type: 'store_token_uses' }

type Noting = { state: ProjectState; now: Date; soon(ms: number, message: { type: string }): void }

/** Notes a request with the token. */
export function noteUse(turn: Noting, token_id: string): void {
  const token = turn.state.tokens.get(token_id)
  if (token === undefined) return
  const now = turn.now.getTime()
  if (now > token.last_used_ms) token.last_used_ms = now
  if (token.last_used_ms < token.use_stored_ms + EXACT_MS) return
  uses.of(turn.state).add(token_id)
  turn.soon(GATHER_MS, STORE)
}

/**
 * To itself: stores the noted uses. Reads the tokens again, too: the node that ended a token, or deactivated its owner,
 * may have died before it told this actor, and the token would be admitted for as long as it is in use.
 */
export const storeTokenUses: Receiver<object> = {
  reads(reads) {
    for (const id of uses.of(reads.state)) reads.of(tokenReads).add(id)
  },
  receive(turn) {
    const noted = uses.of(turn.state)
    const stored = turn.records.of(tokenReads)
    for (const id of noted) {
      // One that was noted after the reads is not among them.
      if (stored.has(id)) takeToken(turn.state, id, stored.get(id))
      const token = turn.state.tokens.get(id)
      if (token === undefined) continue
      turn.update(Token, { _id: id }, { last_used_at: lastUse(token) })
      token.use_stored_ms = token.last_used_ms
    }
    noted.clear()
  },
}

/** Null for a token that was never used. */
export function lastUse({ last_used_ms }: TokenState): Date | null {
  return last_used_ms === 0 ? null : new Date(last_used_ms)
}
