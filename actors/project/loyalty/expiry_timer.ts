import { expiryOf } from '../../../storage/mod.ts'
import type { Reads } from '../turn/reads.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { loyaltyReads, programOf } from './reads.ts'

const TIMER = 'loyalty'
const MESSAGE = { type: 'expire_memberships' }

/** Call this for each message after which `setExpiryTimer` is called. */
export function wantExpiries(reads: Reads): void {
  reads.of(loyaltyReads).next = true
}

/** Sets the durable timer of the project to the earliest expiry that the turn has not written. */
export function setExpiryTimer(turn: ProjectTurn): void {
  const earliest = earliestExpiry(turn)
  if (earliest === undefined) turn.cancel(TIMER)
  else turn.timer(TIMER, new Date(earliest), MESSAGE)
}

function earliestExpiry(turn: ProjectTurn): number | undefined {
  const { memberships, programs, next, has_more, is_outdated } = turn.records.of(loyaltyReads)
  const all_have_expired = next.every(({ expired_at }) => expired_at)
  if (is_outdated || (has_more && all_have_expired)) return turn.now.getTime()
  let earliest: number | undefined
  for (const membership of memberships.values()) {
    const expiry = expiryOf(programOf(programs, membership), membership)?.getTime()
    if (expiry !== undefined && (earliest === undefined || expiry < earliest)) earliest = expiry
  }
  return earliest
}

/** The rules of a program have changed: the next expiries have to be read again. */
export function lookForExpiries(turn: ProjectTurn): void {
  turn.records.of(loyaltyReads).is_outdated = true
  turn.timer(TIMER, turn.now, MESSAGE)
}
