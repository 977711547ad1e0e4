import { assign, setup, transition } from 'xstate'

/** Consecutive dead deliveries after which a subscription is disabled (the contract's number). */
const MAX_DEAD = 50

export type SubscriptionHealth = { is_active: boolean; failure_count: number; disabled_reason: string | null }

/**
 * `delivery_*`: the end of a delivery that is not a test. `receiver_gone`: it was answered 410, and the subscription
 * wants to end then. `enabled`, `disabled`: by a user.
 */
export type SubscriptionEvent = 'delivery_succeeded' | 'delivery_dead' | 'receiver_gone' | 'enabled' | 'disabled'

type Context = Pick<SubscriptionHealth, 'failure_count' | 'disabled_reason'>

/**
 * The health of a subscription, which decides whether it gets events. Deliveries that end while it is inactive change
 * nothing: enabling resets the count. `notify_owner` is the e-mail to its owner, once per disabling.
 */
export const subscriptionMachine = setup({
  types: { context: {} as Context, input: {} as Context, events: {} as { type: SubscriptionEvent } },
  guards: {
    is_fiftieth: ({ context }) => context.failure_count + 1 >= MAX_DEAD,
  },
  actions: {
    count: assign({ failure_count: ({ context }) => context.failure_count + 1 }),
    reset_count: assign({ failure_count: 0 }),
    set_reason: assign({ disabled_reason: 'excessive_failures' }),
    set_gone: assign({ disabled_reason: 'receiver_gone' }),
    clear_reason: assign({ disabled_reason: null }),
    notify_owner: () => {},
  },
}).createMachine({
  id: 'subscription',
  context: ({ input }) => input,
  initial: 'active',
  states: {
    active: {
      on: {
        delivery_succeeded: { actions: 'reset_count' },
        delivery_dead: [
          { guard: 'is_fiftieth', target: 'inactive', actions: ['count', 'set_reason', 'notify_owner'] },
          { actions: 'count' },
        ],
        receiver_gone: { target: 'inactive', actions: ['set_gone', 'notify_owner'] },
        disabled: { target: 'inactive' },
      },
    },
    inactive: { on: { enabled: { target: 'active', actions: ['reset_count', 'clear_reason'] } } },
  },
})

/**
 * The health after an event, and whether the owner has to be notified. Returns the given object when nothing changes,
 * as with nearly every delivery.
 */
export function nextSubscription<Health extends SubscriptionHealth>(
  health: Health,
  event: SubscriptionEvent,
): { health: Health | SubscriptionHealth; notify_owner: boolean } {
  if (isIdle(health, event)) return { health, notify_owner: false }
  const { is_active, failure_count, disabled_reason } = health
  const snapshot = subscriptionMachine.resolveState({
    value: is_active ? 'active' : 'inactive',
    context: { failure_count, disabled_reason },
  })
  const [next, actions] = transition(subscriptionMachine, snapshot, { type: event })
  const after = { is_active: next.value === 'active', ...next.context }
  const is_changed =
    after.is_active !== is_active || after.failure_count !== failure_count || after.disabled_reason !== disabled_reason
  return {
    health: is_changed ? after : health,
    notify_owner: actions.some((action) => action.type === 'notify_owner'),
  }
}

/** True for a success while nothing is counted: skips 20 µs of machine on every delivery. A test compares it with the machine. */
function isIdle(health: SubscriptionHealth, event: SubscriptionEvent): boolean {
  return event === 'delivery_succeeded' && health.failure_count === 0
}
