import type { DeliveryStatus } from '../../storage/mod.ts'
import { type DeliveryEvent, deliveryStateOf, deliveryStatusOf, nextDeliveryState } from '../machines/mod.ts'
import type { AttemptResult } from './attempt.ts'
import { nextAttemptAt } from './retry_schedule.ts'

/** Columns of a delivery. */
export type AttemptEnd = {
  status: DeliveryStatus
  status_code: number | null
  attempts: number
  duration_ms: number
  last_error: string | null
  next_attempt_at: Date | null
  delivered_at: Date | null
}

type UnderWay = { status: DeliveryStatus; next_attempt_at?: Date | null }

/** Error of a delivery whose subscription is disabled. */
const DISABLED_ERROR = 'subscription_disabled'

/**
 * The columns of a delivery after attempt number `attempts + 1` ended. A success always counts; a retryable failure is
 * final when the subscription is disabled or deleted by now (`is_wanted` false).
 */
export function endAttempt(
  delivery: UnderWay & { attempts: number; retried_from?: number },
  result: Pick<AttemptResult, 'outcome' | 'status_code' | 'duration_ms' | 'error' | 'retry_after_s'>,
  circumstances: { now: Date; is_wanted: boolean; schedule?: readonly number[]; random?: () => number },
): AttemptEnd {
  const { now, is_wanted, schedule, random } = circumstances
  const attempts = delivery.attempts + 1
  // After a user's redelivery the whole schedule applies again.
  const of_schedule = attempts - (delivery.retried_from ?? 0)
  const next = nextAttemptAt(of_schedule + 1, now, schedule, result.retry_after_s, random)
  const event = eventOf(result.outcome, next !== undefined, is_wanted)
  const state = nextDeliveryState(deliveryStateOf(delivery), event)
  return {
    status: deliveryStatusOf(state),
    status_code: result.status_code,
    attempts,
    duration_ms: result.duration_ms,
    last_error: event === 'subscription_disabled' ? DISABLED_ERROR : result.error,
    next_attempt_at: (state === 'waiting' && next) || null,
    delivered_at: state === 'success' ? now : null,
  }
}

function eventOf(outcome: AttemptResult['outcome'], has_next: boolean, is_wanted: boolean): DeliveryEvent {
  if (outcome === 'success') return 'succeeded'
  if (outcome === 'final') return 'refused'
  if (!has_next) return 'last_attempt_failed'
  return is_wanted ? 'attempt_failed' : 'subscription_disabled'
}

/** Ends a delivery that was still to be attempted. The reason becomes its error. */
export function abandon(
  delivery: UnderWay,
  reason: 'subscription_disabled' | 'event_expired' = DISABLED_ERROR,
): Partial<AttemptEnd> {
  const state = nextDeliveryState(deliveryStateOf(delivery), reason)
  return { status: deliveryStatusOf(state), last_error: reason, next_attempt_at: null }
}
