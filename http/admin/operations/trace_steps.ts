/** The steps of a way, made of its rows. */
import type { TraceRows } from '../../../storage/mod.ts'

export const stepNames = [
  'changed',
  'queued',
  'received',
  'reported',
  'waiting',
  'sent',
  'delivered',
  'read',
  'failed',
  'edited',
  'withdrawn',
  'event',
  'attempt',
  'delivery',
] as const

export type TraceStep = {
  at: Date
  step: (typeof stepNames)[number]
  id: string
  of: string | null
  request_id: string | null
  project_id: string | null
  detail: string
  attempt: number | null
  status_code: number | null
  duration_ms: number | null
  error: string | null
}

type Given = Pick<TraceStep, 'at' | 'step' | 'id' | 'detail'> & Partial<TraceStep>

/** Where two have the same time, what causes comes before what follows. */
export function stepsOf({ messages, events, deliveries, attempts, audit_entries }: TraceRows): TraceStep[] {
  const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]))
  const lastAttempts = new Map(attempts.map((attempt) => [attempt.delivery_id, attempt]))
  const steps = [
    ...audit_entries.map(stepOfChange),
    ...messages.flatMap(stepsOfMessage),
    ...events.map(stepOfEvent),
    ...attempts.flatMap((attempt) => stepOfAttempt(attempt, byId.get(attempt.delivery_id)!)),
    ...deliveries.map((delivery) => stepOfDelivery(delivery, lastAttempts.get(delivery.id))),
  ]
  return steps.sort((one, other) => one.at.getTime() - other.at.getTime())
}

function stepWith(given: Given): TraceStep {
  const nothing = { of: null, request_id: null, project_id: null, attempt: null, status_code: null }
  return { ...nothing, duration_ms: null, error: null, ...given }
}

function stepOfChange(entry: TraceRows['audit_entries'][0]): TraceStep {
  const { _id: id, created_at: at, action, target_kind, target_id, request_id = null, project_id = null } = entry
  const detail = `${action} of ${[target_kind, target_id].filter(Boolean).join(' ')}`
  return stepWith({ at, step: 'changed', id, request_id, project_id, detail })
}

/** The statuses that a provider has reported are requests of their own, whose ids its events have. */
function stepsOfMessage(message: TraceRows['messages'][0]): TraceStep[] {
  const { id, project_id, request_id = null, provider_message_id, confirmed, waiting, direction, origin } = message
  const step = (at: Date | null | undefined, name: TraceStep['step'], detail: string, more: Partial<TraceStep> = {}) =>
    at ? [stepWith({ at, step: name, id, project_id, detail, ...more })] : []
  const content = `${message.channel} ${message.type} ${direction === 'inbound' ? 'on' : 'by'} channel ${message.channel_id}`
  const first = direction === 'inbound' ? 'received' : origin ? 'reported' : 'queued'
  const of = message.broadcast_id ?? null
  const provider_id = provider_message_id ? `as ${provider_message_id}` : ''
  const is_own = first === 'queued'
  const error = message.error ? `${message.error.code}: ${message.error.message}` : null
  return [
    ...step(message.created_at, first, is_own ? content : [content, provider_id].filter(Boolean).join(' '), {
      request_id,
      of,
    }),
    ...(waiting
      ? step(waiting.next_attempt_at ?? message.created_at, 'waiting', waitingFor(waiting, message.channel_state), {
          attempt: waiting.attempts,
          error: waiting.error && `${waiting.error.code}: ${waiting.error.message}`,
        })
      : []),
    ...step(is_own ? message.sent_at : null, 'sent', confirmed ? provider_id : 'without a confirmation', {
      request_id,
    }),
    ...step(message.delivered_at, 'delivered', ''),
    ...step(message.read_at, 'read', ''),
    ...step(message.failed_at, 'failed', '', { error }),
    ...step(message.edited_at, 'edited', ''),
    ...step(message.deleted_at, 'withdrawn', ''),
  ]
}

type TracedMessage = TraceRows['messages'][0]

function waitingFor(
  { next_attempt_at, behind, attempts }: NonNullable<TracedMessage['waiting']>,
  channel_state: TracedMessage['channel_state'],
): string {
  // A call under way has no next attempt, and is counted.
  const now = attempts > 0 ? 'for the answer of the provider' : 'for its turn'
  const reason = behind ? `behind ${behind}` : next_attempt_at ? 'for the next attempt' : now
  return channel_state ? `${reason}, the channel is ${channel_state}` : reason
}

function stepOfEvent({ id, created_at, type, project_id, request_id, message_id }: TraceRows['events'][0]): TraceStep {
  return stepWith({ at: created_at, step: 'event', id, of: message_id, request_id, project_id, detail: type })
}

type Delivery = TraceRows['deliveries'][0]

function stepOfAttempt(
  { started_at, attempt, status_code = null, duration_ms, error = null }: TraceRows['attempts'][0],
  { id, event_id, request_id = null, project_id, subscription_id }: Delivery,
): TraceStep {
  const fields = { id, of: event_id, request_id, project_id, detail: `to ${subscription_id}` }
  return stepWith({ at: started_at, step: 'attempt', ...fields, attempt, status_code, duration_ms, error })
}

/** The end of a delivery, or the next attempt that it waits for. Polls that fetch together share one. */
function stepOfDelivery(delivery: Delivery, last_attempt: TraceRows['attempts'][0] | undefined): TraceStep {
  const { id, event_id, subscription_id, project_id, request_id = null, status, attempts } = delivery
  const is_waiting = delivery.next_attempt_at !== null
  const at = delivery.next_attempt_at ?? delivery.delivered_at ?? endOf(last_attempt) ?? delivery.created_at
  const is_shared = subscription_id.startsWith('pgr_')
  const detail = is_shared
    ? 'kept for polls'
    : is_waiting
      ? waitingToReach(delivery)
      : `to ${subscription_id}: ${status}`
  const fields = { id, of: event_id, request_id, project_id, detail }
  const step = is_waiting && !is_shared ? 'waiting' : 'delivery'
  return stepWith({ at, step, ...fields, attempt: attempts, error: delivery.last_error ?? null })
}

function waitingToReach({ subscription_id, last_error, receiver_error }: Delivery): string {
  const reason = `for the next attempt to ${subscription_id}`
  if (receiver_error === 'off') return `${reason}, which is off`
  return receiver_error && !last_error ? `${reason}, whose last one failed: ${receiver_error}` : reason
}

const endOf = (attempt: TraceRows['attempts'][0] | undefined) =>
  attempt && new Date(attempt.started_at.getTime() + attempt.duration_ms)
