/** From the timer: the points of some memberships may have expired. */
import type { Receiver } from '../turn/feature.ts'
import { setExpiryTimer, wantExpiries } from './expiry_timer.ts'
import { isDue } from './ledger.ts'
import { loyaltyReads, programOf } from './reads.ts'
import { writeExpiry } from './write.ts'

/** Expires only memberships that are due, so a timer that fires early or twice does no harm. */
export const expireMemberships: Receiver<object> = {
  reads: wantExpiries,
  receive(turn) {
    const { next, programs } = turn.records.of(loyaltyReads)
    for (const membership of next) {
      const program = programOf(programs, membership)
      if (isDue({ membership, program }, turn.now)) writeExpiry(turn, membership, program)
    }
    setExpiryTimer(turn)
  },
}
