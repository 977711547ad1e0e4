/** Events of a project, on their way to its webhook subscriptions. */
import type { Turn } from '../../runtime/mod.ts'
import { Event, prefixedId } from '../../storage/mod.ts'
import { envelopeOf } from '../webhook/mod.ts'
import type { ProjectRecords } from './records.ts'
import type { ProjectState } from './state.ts'

export type ProjectTurn = Turn<ProjectState, ProjectRecords>

/**
 * Tells every active subscription that listens to `type`. The event, and one message to each subscription, commit with
 * the change that made them. Without a listener nothing is stored.
 */
export function emit(turn: ProjectTurn, type: string, data: object): void {
  const listeners = [...turn.state.subscriptions.values()].filter((one) => one.is_active && one.events.has(type))
  if (listeners.length === 0) return
  const event = record(turn, type, data)
  for (const { id } of listeners) turn.tell(`subscription/${id}`, { type: 'deliver', ...event, is_test: false })
}

/** Sends a made-up event to one subscription, whatever it listens to and whether it is active. Returns the event's id. */
export function emitTest(turn: ProjectTurn, subscription_id: string, type: string, data: object): string {
  const event = record(turn, type, data)
  turn.tell(`subscription/${subscription_id}`, { type: 'deliver', ...event, is_test: true })
  return event.event_id
}

function record(turn: ProjectTurn, type: string, data: object) {
  const id = prefixedId('evt')
  const { project_id } = turn.state
  const event: Event = { id, project_id, type, data: data as Record<string, unknown>, created_at: turn.now }
  turn.insert(Event, event)
  return { event_id: id, event_type: type, body: envelopeOf(event) }
}
