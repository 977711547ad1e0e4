/**
 * The last uses of a project's tokens. Each request notes its time in memory; the times are stored together, once a
 * minute at most. A stored time is therefore up to a minute old, and the death of a node costs at most the uses of the
 * last minute. A node that gives its partitions away in order stores them before.
 *
 * Only the project's actor writes these times, and it never writes an earlier one: not after a refresh of the token,
 * and not when the clock of its new node is behind.
 */
import { Token, type TokenState } from '../../../storage/mod.ts'
import type { Receiver } from '../turn/feature.ts'
import { Memory } from '../turn/memory.ts'
import type { ProjectState } from '../turn/state.ts'
import { takeToken, tokenReads } from './refresh_token.ts'

/** Tokens whose last use is not stored yet; and when uses were stored last, in milliseconds. */
const uses = new Memory<{ tokens: Set<string>; stored_at: number }>(() => ({ tokens: new Set(), stored_at: 0 }))

/** Pause between two writes of a project. */
const PAUSE_MS = 60_000
/** Delay of a write after a longer pause, so that the tokens that are used meanwhile share it. */
const GATHER_MS = 1000
const STORE = { type: 'store_token_uses' }

type Noting = { state: ProjectState; now: Date; soon(ms: number, message: { type: string }): void }

/** Notes a request with the token. */
export function noteUse(turn: Noting, token_id: string): void {
  const token = turn.state.tokens.get(token_id)
  if (token === undefined) return
  const now = turn.now.getTime()
  if (now > token.last_used_ms) token.last_used_ms = now
  const { tokens, stored_at } = uses.of(turn.state)
  if (tokens.has(token_id)) return
  tokens.add(token_id)
  const pause_ms = stored_at + PAUSE_MS - now
  // A clock that was put back makes no longer pause.
  turn.soon(Math.min(Math.max(pause_ms, GATHER_MS), PAUSE_MS), STORE)
}

/**
 * To itself: stores the noted uses. Reads the tokens again, too: the node that ended a token, or deactivated its owner,
 * may have died before it told this actor, and the token would be admitted for as long as it is in use.
 */
export const storeTokenUses: Receiver<object> = {
  reads(reads) {
    for (const id of uses.of(reads.state).tokens) reads.of(tokenReads).add(id)
  },
  receive(turn) {
    const noted = uses.of(turn.state)
    const stored = turn.records.of(tokenReads)
    for (const id of noted.tokens) {
      // One that was noted after the reads is not among them.
      if (stored.has(id)) takeToken(turn.state, id, stored.get(id))
      const token = turn.state.tokens.get(id)
      if (token !== undefined) turn.update(Token, { _id: id }, { last_used_at: lastUse(token) })
    }
    noted.tokens.clear()
    noted.stored_at = turn.now.getTime()
  },
}

/** Null for a token that was never used. */
export function lastUse({ last_used_ms }: TokenState): Date | null {
  return last_used_ms === 0 ? null : new Date(last_used_ms)
}
