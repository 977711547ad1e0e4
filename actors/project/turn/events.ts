/** Emits events of a project to its webhook subscriptions. */
import { causeColumns } from '../../../runtime/mod.ts'
import { Delivery, Event, PollGroup, prefixedId } from '../../../storage/mod.ts'
import { envelopeOf, envelopes, nextAttemptAt } from '../../webhook/mod.ts'
import type { ProjectState } from './state.ts'
import type { Listeners, PolledListeners, ProjectSubscription } from './subscriptions.ts'
import type { ProjectTurn } from './turn.ts'

/** The ordering key of a subscription that wants all events in order. */
const EVERYTHING = '*'

/**
 * Sends an event to every active subscription that listens to `type`. The event, its deliveries and the messages to the
 * subscriptions commit with the change that caused them. Without a listener nothing is stored. `contact_id`: the
 * contact of the event, for subscriptions that want the events of a contact in order.
 */
export function emit(turn: ProjectTurn, type: string, data: object, contact_id: string | null): void {
  if (silent.has(turn)) return
  const listeners = turn.state.subscriptions.listenersTo(type)
  if (listeners.own.length > 0 || listeners.polled) record(turn, type, data, contact_id, listeners, false)
}

const silent = new WeakSet<ProjectTurn>()

/** Runs a part of a turn whose changes are no news to anybody: nothing in it emits an event. */
export function withoutEvents(turn: ProjectTurn, run: () => void): void {
  silent.add(turn)
  try {
    run()
  } finally {
    silent.delete(turn)
  }
}

/** The product that message events name. Facebook pages use that of Messenger. */
export function productOf(channel_type: string): string {
  return channel_type === 'facebook' ? 'messenger' : channel_type
}

/** The type of a message event. */
export function messageEvent(channel_type: string, what: string): string {
  return `${productOf(channel_type)}.message.${what}`
}

/**
 * Sends a test event to one subscription, whether or not it is active or listens to the type. Returns the event's id.
 */
export function emitTest(turn: ProjectTurn, subscription: ProjectSubscription, type: string, data: object): string {
  const ordering = subscription.mode === 'poll' ? 'subscription' : 'none'
  return record(turn, type, data, null, { own: [{ ...subscription, ordering }], polled: undefined }, true)
}

function record(
  turn: ProjectTurn,
  type: string,
  data: object,
  contact_id: string | null,
  { own, polled }: Listeners,
  is_test: boolean,
): string {
  const { project_id, webhook_schedule } = turn.state
  const receivers = own.map(({ id }) => id)
  if (polled) receivers.push(polled.group_id)
  const cause = causeColumns(turn.cause)
  const event: Event = {
    id: prefixedId('evt'),
    project_id,
    type,
    data: data as Record<string, unknown>,
    subscription_ids: receivers,
    created_at: turn.now,
    ...cause,
  }
  turn.insert(Event, event)
  const takers = own.filter(({ mode }) => mode !== 'poll').length
  if (takers > 0) envelopes.keep(event.id, envelopeOf(event), takers)
  const next_attempt_at = nextAttemptAt(1, turn.now, webhook_schedule)!
  for (const { id: subscription_id, ordering, mode } of own) {
    const ordering_key = ordering === 'none' ? null : ordering === 'contact' ? contact_id : EVERYTHING
    const id = deliveryId(turn.state)
    const shared = { event_id: event.id, event_type: type, ordering_key, is_test }
    turn.insert(Delivery, {
      id,
      subscription_id,
      project_id,
      ...shared,
      next_attempt_at,
      created_at: turn.now,
      ...cause,
    })
    if (mode === 'poll') {
      wakePolls(turn, subscription_id)
      continue
    }
    turn.gather(`subscription/${subscription_id}`, 'deliver', {
      delivery_id: id,
      ...shared,
      next_attempt_at: next_attempt_at.getTime(),
      created_at: turn.now.getTime(),
    })
  }
  if (polled) deliverToPolls(turn, event, polled)
  return event.id
}

/** Groups whose polls a turn wakes already: a turn may have hundreds of events, and a group a thousand subscriptions. */
const woken = new WeakMap<ProjectTurn, Set<string>>()

/** One delivery for all that poll: what each of them has fetched is a position among them. */
function deliverToPolls(turn: ProjectTurn, event: Event, polled: PolledListeners): void {
  const { state, now } = turn
  const { group_id, subscription_ids } = polled
  if (state.subscriptions.isToStore(polled, now)) {
    const { project_id } = state
    turn.upsert(PollGroup, { id: group_id, project_id, subscription_ids: [...subscription_ids], used_at: now })
  }
  turn.insert(Delivery, {
    id: deliveryId(state),
    subscription_id: group_id,
    project_id: state.project_id,
    event_id: event.id,
    event_type: event.type,
    status: 'success',
    attempts: 1,
    delivered_at: now,
    created_at: now,
    ...causeColumns(turn.cause),
  })
  const groups = woken.get(turn) ?? new Set()
  if (groups.has(group_id)) return
  woken.set(turn, groups.add(group_id))
  for (const id of subscription_ids) wakePolls(turn, id)
}

function wakePolls(turn: ProjectTurn, subscription_id: string): void {
  turn.live(pollChannel(subscription_id), () => ({ type: 'delivery', data: {} }))
}

/** The channel on which polls of a subscription hear of its deliveries. */
export function pollChannel(subscription_id: string): string {
  return `poll_${subscription_id}`
}

/**
 * A greater id than all earlier ones in this project, even if the clocks of its owners differ, because their order is
 * the order of events.
 */
function deliveryId(state: ProjectState): string {
  let id = prefixedId('dlv')
  if (id <= state.last_delivery_id) {
    const next = BigInt(`0x${state.last_delivery_id.slice(4)}`) + 1n
    id = `dlv_${next.toString(16).padStart(24, '0')}`
  }
  state.last_delivery_id = id
  return id
}
