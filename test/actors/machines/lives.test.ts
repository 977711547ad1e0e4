import fc from 'fast-check'
import t from 'tap'
import { transition } from 'xstate'
import {
  type DeliveryEvent,
  type DeliveryState,
  deliveryMachine,
  deliveryStateOf,
  deliveryStatusOf,
  type MessageEvent,
  messageMachine,
  nextDeliveryState,
  nextMessageStatus,
  nextSubscription,
  type OutboundStatus,
  type SubscriptionEvent,
  type SubscriptionHealth,
} from '../../../actors/machines/mod.ts'

t.test('a message', async (t) => {
  const follow = (...events: MessageEvent[]) => events.reduce(nextMessageStatus, 'queued' as OutboundStatus)
  t.equal(follow('sent', 'delivered', 'read'), 'read')
  t.equal(follow('read'), 'read', 'skipped states')
  t.equal(follow('read', 'delivered', 'sent'), 'read', 'reversed')
  t.equal(follow('sent', 'sent', 'delivered', 'delivered'), 'delivered', 'repeated')
  t.equal(follow('failed'), 'failed')
  t.equal(follow('sent', 'failed'), 'failed')
  t.equal(follow('delivered', 'failed'), 'delivered')
  t.equal(follow('failed', 'delivered'), 'failed')
})

t.test('a message never moves backwards', async () => {
  const rank = { queued: 0, sent: 1, delivered: 2, read: 3, failed: 4 }
  const events = fc.array(fc.constantFrom<MessageEvent>('sent', 'delivered', 'read', 'failed'), { maxLength: 12 })
  fc.assert(
    fc.property(events, (list) => {
      let status: OutboundStatus = 'queued'
      for (const event of list) {
        const next = nextMessageStatus(status, event)
        if (rank[next] < rank[status]) return false
        if ((status === 'read' || status === 'failed') && next !== status) return false
        status = next
      }
      return true
    }),
  )
})

t.test('a delivery', async (t) => {
  const follow = (...events: DeliveryEvent[]) => events.reduce(nextDeliveryState, 'pending' as DeliveryState)
  t.equal(follow('succeeded'), 'success')
  t.equal(follow('refused'), 'failed')
  t.equal(follow('attempt_failed'), 'waiting')
  t.equal(follow('attempt_failed', 'due'), 'pending')
  t.equal(follow('attempt_failed', 'due', 'last_attempt_failed'), 'dead')
  t.equal(follow('attempt_failed', 'subscription_disabled'), 'failed')
  t.equal(follow('subscription_disabled'), 'failed')
  t.equal(follow('event_expired'), 'dead')
  t.equal(follow('attempt_failed', 'event_expired'), 'dead')
  t.equal(follow('succeeded', 'event_expired'), 'success')
  t.equal(follow('subscription_disabled', 'due'), 'failed', 'a timer that comes late')
  t.equal(follow('succeeded', 'due'), 'success')
  t.equal(follow('succeeded', 'attempt_failed'), 'success', 'the result of an older attempt')
  t.equal(follow('succeeded', 'subscription_disabled'), 'success')
  for (const end of ['succeeded', 'refused', 'last_attempt_failed', 'attempt_failed'] as const)
    t.equal(follow(end, 'redelivered'), 'pending')
})

t.test('a delivery in its columns', async (t) => {
  const now = new Date()
  t.equal(deliveryStateOf({ status: 'failed', next_attempt_at: now }), 'waiting')
  t.equal(deliveryStateOf({ status: 'failed', next_attempt_at: null }), 'failed')
  t.equal(deliveryStateOf({ status: 'pending', next_attempt_at: now }), 'pending')
  for (const state of ['pending', 'waiting', 'success', 'failed', 'dead'] as const) {
    const row = { status: deliveryStatusOf(state), next_attempt_at: state === 'waiting' ? now : null }
    t.equal(deliveryStateOf(row), state)
  }
})

t.test('the tables agree with the machines', async (t) => {
  const messages = ['queued', 'sent', 'delivered', 'read', 'failed'] as const
  for (const value of messages)
    for (const type of ['sent', 'delivered', 'read', 'failed'] as const)
      t.equal(
        transition(messageMachine, messageMachine.resolveState({ value }), { type })[0].value,
        nextMessageStatus(value, type),
      )
  for (const value of ['pending', 'waiting', 'success', 'failed', 'dead'] as const)
    for (const type of [
      'succeeded',
      'refused',
      'attempt_failed',
      'last_attempt_failed',
      'due',
      'subscription_disabled',
      'event_expired',
      'redelivered',
    ] as const)
      t.equal(
        transition(deliveryMachine, deliveryMachine.resolveState({ value }), { type })[0].value,
        nextDeliveryState(value, type),
      )
})

t.test('a subscription', async (t) => {
  const fresh: SubscriptionHealth = { is_active: true, failure_count: 0, disabled_reason: null }
  let told = 0
  const follow = (health: SubscriptionHealth, event: SubscriptionEvent, times = 1) => {
    for (let time = 0; time < times; time++) {
      const next = nextSubscription(health, event)
      health = next.health
      if (next.notify_owner) told += 1
    }
    return health
  }
  t.equal(follow(fresh, 'delivery_succeeded'), fresh)
  t.equal(follow(fresh, 'enabled'), fresh)
  const tired = follow(fresh, 'delivery_dead', 49)
  t.strictSame(tired, { is_active: true, failure_count: 49, disabled_reason: null })
  t.strictSame(follow(tired, 'delivery_succeeded'), fresh)
  t.equal(told, 0)
  const disabled = follow(tired, 'delivery_dead')
  t.strictSame(disabled, { is_active: false, failure_count: 50, disabled_reason: 'excessive_failures' })
  t.equal(told, 1)
  t.equal(follow(disabled, 'delivery_dead', 3), disabled)
  t.equal(follow(disabled, 'delivery_succeeded'), disabled)
  t.equal(told, 1, 'once')
  t.strictSame(follow(disabled, 'enabled'), fresh)
  t.strictSame(follow(tired, 'disabled'), { is_active: false, failure_count: 49, disabled_reason: null })
  t.strictSame(follow(follow(tired, 'disabled'), 'enabled'), fresh)
})

t.test('a success without a count changes nothing, active or not: the machine agrees', async (t) => {
  const { subscriptionMachine } = await import('../../../actors/machines/mod.ts')
  for (const value of ['active', 'inactive'] as const)
    for (const disabled_reason of [null, 'excessive_failures']) {
      const before = subscriptionMachine.resolveState({ value, context: { failure_count: 0, disabled_reason } })
      const [after, actions] = transition(subscriptionMachine, before, { type: 'delivery_succeeded' })
      t.equal(after.value, value)
      t.strictSame(after.context, before.context)
      t.strictSame(actions, [])
    }
})
