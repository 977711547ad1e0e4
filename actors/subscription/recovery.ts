/** A recovery: everything that failed for good in a time is sent again, a page at a time. */
import { objectIdAt, type Recovery, Subscription } from '../../storage/mod.ts'
import type { SubscriptionTurn } from './protocol.ts'
import { RECOVERY_PAGE } from './reads.ts'
import { redeliver } from './redelivery.ts'
import { isOff } from './state.ts'

/** Pause between pages, which leaves room for new deliveries. */
const RECOVERY_PAUSE_MS = 100

/** `since` and `until`: times as in the API, both included. Replaces a recovery that is running. */
export function beginRecovery(turn: SubscriptionTurn, since: string, until: string): void {
  const started_at = turn.now.toISOString()
  const cursor = `dlv_${objectIdAt(new Date(since))}`
  const progress = { status: 'running' as const, total: null, requeued: 0, cursor, completed_at: null }
  save(turn, { since, until, ...progress, started_at })
  turn.soon(0, { type: 'recover_more' })
  turn.awake(true)
}

/** Queues the page that was read for this turn. Returns false when there is nothing to do, or it has to wait. */
export function continueRecovery(turn: SubscriptionTurn): boolean {
  const { state, records } = turn
  const { recovery, queue, pace } = state
  if (recovery?.status !== 'running' || recovery !== records.recovery || isOff(state, false)) return false
  // Earlier queued deliveries go first, and a receiver that is down gets no more.
  if (queue.is_full || pace.paused_until > turn.now.getTime()) {
    turn.soon(10 * RECOVERY_PAUSE_MS, { type: 'recover_more' })
    return false
  }
  const fresh = records.failed.filter(({ id }) => id > recovery.cursor && !records.ended.has(id))
  const requeued = recovery.requeued + fresh.filter((delivery) => redeliver(turn, delivery)).length
  const total = recovery.total ?? records.failed_total
  const cursor = records.failed.at(-1)?.id ?? recovery.cursor
  const is_done = records.failed.length < RECOVERY_PAGE
  save(turn, {
    ...recovery,
    total,
    requeued,
    cursor,
    ...(is_done ? { status: 'completed', completed_at: turn.now.toISOString() } : {}),
  })
  if (!is_done) turn.soon(RECOVERY_PAUSE_MS, { type: 'recover_more' })
  return true
}

/** Does nothing when no recovery is running. */
export function cancelRecovery(turn: SubscriptionTurn): void {
  const { recovery } = turn.state
  if (recovery?.status !== 'running') return
  save(turn, { ...recovery, status: 'cancelled', completed_at: turn.now.toISOString() })
}

function save(turn: SubscriptionTurn, recovery: Recovery): void {
  turn.state.recovery = recovery
  turn.update(Subscription, { id: turn.key }, { recovery })
}
