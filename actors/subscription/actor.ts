/**
 * The subscription actor: one per webhook subscription. The project creates deliveries with the event; this actor
 * attempts them and writes the outcomes.
 *
 * The `delivery` table is the queue: a row that is `pending` or `failed` with a `next_attempt_at` is still to be done.
 * Memory holds the attempts under way and the front of the queue (`delivery_queue.ts`), so a backlog costs no memory.
 * An attempt cut off by a crash is made again under the same ids: receivers may see an event twice, never not at all.
 */
import { type ActorKind, defineActor } from '../../runtime/mod.ts'
import { type Database, Delivery, now, objectIdAt, type Recovery, Subscription } from '../../storage/mod.ts'
import { wakeAt } from '../due_timer.ts'
import { type DeliveryState, deliveryStateOf, deliveryStatusOf, nextDeliveryState } from '../machines/mod.ts'
import { type AttemptResult, abandon, type WebhookSender } from '../webhook/mod.ts'
import { conclude, isOff } from './conclude.ts'
import { KEY_PAGE, type Waiting } from './delivery_queue.ts'
import { mostAtOnce, observe, pauseRange, room } from './pace.ts'
import type { SubscriptionProtocol, SubscriptionRecords, SubscriptionTurn, Told } from './protocol.ts'
import {
  countFailed,
  PAGE,
  RECOVERY_PAGE,
  readDeliveries,
  readDue,
  readFailed,
  readUndelivered,
  takeBodies,
} from './reads.ts'
import { loadSubscriptions, missingSubscription, type SubscriptionState, toConfig, toHealth } from './state.ts'
import { nextTimeoutBatch } from './timeout_batch.ts'

export type SubscriptionOptions = {
  database: Database
  sender: WebhookSender
  /** Seconds before each attempt, the first included. */
  schedule: readonly number[]
  /** Called with every attempt, once it is over. */
  attempted?: ((result: AttemptResult) => void) | undefined
  /** Called with the new state of each delivery, after an attempt or the end of its subscription. */
  concluded?: ((state: DeliveryState) => void) | undefined
}

/** Maximum concurrent tests, which go out at once. */
const TESTS = 64
/** Pause between pages of a recovery, which leaves room for new deliveries. */
const RECOVERY_PAUSE_MS = 100
/** Idle time after which a new owner need not wake this actor. */
const REST_MS = 5_000

export function subscriptionActor(
  options: SubscriptionOptions,
): ActorKind<SubscriptionProtocol, SubscriptionState, SubscriptionRecords> {
  const { database, sender, schedule, attempted, concluded } = options
  const pauses = pauseRange(schedule)

  function attempt(turn: SubscriptionTurn, { delivery, body }: Waiting): void {
    const { url, secret, headers } = turn.state.config!
    const { id: delivery_id, event_id, event_type, attempts } = delivery
    const request = { url, secret, headers, event_id, event_type, delivery_id, attempt: attempts + 1, body }
    const { slots, pace } = turn.state
    // Tests go in addition to the receiver's deliveries.
    const most = mostAtOnce(pace, turn.state.config!.concurrency)
    turn.work(async (signal) => {
      const may_go = delivery.is_test || (await slots.enter(most))
      const started_at = now()
      if (!may_go) return { type: 'attempted', delivery_id, started_at, result: null }
      const result = await sender.attempt(request, signal)
      attempted?.(result)
      if (result.error === 'timeout') await nextTimeoutBatch()
      if (!delivery.is_test) slots.leave(result.outcome === 'retryable')
      return { type: 'attempted', delivery_id, started_at, result }
    })
  }

  /** Starts deliveries that may go, asks for more when the queue ran dry, and keeps the actor awake while there is work. */
  function proceed(turn: SubscriptionTurn): void {
    const { queue, pace, config, recovery } = turn.state
    const now = turn.now.getTime()
    let free = room(pace, config!.concurrency, queue.running.size, now)
    for (; free > 0; free--) {
      const waiting = queue.start(turn.now)
      if (!waiting) break
      takeUp(turn, waiting)
      attempt(turn, waiting)
    }
    if (pace.paused_until > now) {
      if (!queue.is_empty) wakeAt(turn, new Date(pace.paused_until))
    } else if (free > 0) {
      const { loose, keys, heads } = queue.wants()
      if (loose + keys.length + heads > 0) turn.soon(0, { type: 'due' })
    }
    const soonest = queue.soonest()
    if (soonest && soonest > turn.now) wakeAt(turn, soonest)
    const is_busy = !queue.is_empty || recovery?.status === 'running'
    // The wake row is dropped a while later: with occasional deliveries it would come and go with each.
    if (is_busy) turn.awake(true)
    else turn.soon(REST_MS, { type: 'rest' })
  }

  /** True when this turn still has to handle a delivery that was read. */
  function isNews(turn: SubscriptionTurn, waiting: Waiting): boolean {
    const { queue } = turn.state
    const { delivery } = waiting
    if (delivery.id > turn.state.read_up_to) turn.state.read_up_to = delivery.id
    if (turn.records.ended.has(delivery.id) || queue.has(waiting)) return false
    if (isOff(turn.state, delivery.is_test)) {
      giveUp(turn, delivery)
      return false
    }
    return true
  }

  /** Sets a due delivery to pending again. */
  function takeUp(turn: SubscriptionTurn, { delivery }: Waiting): void {
    const status = deliveryStatusOf(nextDeliveryState(deliveryStateOf(delivery), 'due'))
    if (status === delivery.status) return
    delivery.status = status
    turn.update(Delivery, { id: delivery.id }, { status })
  }

  function takeDue(turn: SubscriptionTurn): void {
    const { queue } = turn.state
    const { due } = turn.records
    if (!due || !turn.state.config) return
    const loose: Waiting[] = []
    for (const waiting of due.loose) {
      if (!isNews(turn, waiting)) continue
      if (waiting.delivery.next_attempt_at! > turn.now) {
        wakeAt(turn, waiting.delivery.next_attempt_at!)
        continue
      }
      loose.push(waiting)
    }
    queue.takeLoose(loose, due.more)
    if (due.heads_asked > 0) {
      const is_last = due.heads.length < due.heads_asked
      const cursor = is_last ? undefined : due.heads.at(-1)!.delivery.ordering_key!
      queue.takeHeads(
        due.heads.filter((waiting) => isNews(turn, waiting)),
        cursor,
      )
    }
    for (const [key, rows] of due.keys) {
      const news = rows.filter((waiting) => isNews(turn, waiting))
      queue.takeKey(key, news, rows.length === KEY_PAGE)
    }
    proceed(turn)
  }

  /** Accepts a delivery that the project created. */
  function take(turn: SubscriptionTurn, told: Told): void {
    const { config, queue } = turn.state
    const body = turn.records.bodies.get(told.event_id)
    // Without an event there is nothing to send: it was older than the retention time.
    if (!config || body === undefined) return
    const waiting = waitingOf(told, body, config)
    const { delivery } = waiting
    if (queue.has(waiting) || turn.records.ended.has(delivery.id)) return
    if (delivery.id <= turn.records.read_up_to) {
      // It may have been read from the table before its message arrived, and be finished since.
      const stored = turn.records.known.get(delivery.id)
      if (stored?.next_attempt_at == null || stored.attempts > 0) return
    }
    if (isOff(turn.state, delivery.is_test)) giveUp(turn, delivery)
    else if (delivery.is_test && queue.running.size < TESTS) {
      queue.running.set(delivery.id, waiting)
      attempt(turn, waiting)
    } else if (delivery.ordering_key === null && delivery.next_attempt_at! > turn.now) {
      wakeAt(turn, delivery.next_attempt_at!)
    } else queue.offer(waiting)
  }

  function giveUp(turn: SubscriptionTurn, delivery: Delivery): void {
    turn.records.ended.add(delivery.id)
    const patch = abandon(delivery)
    turn.update(Delivery, { id: delivery.id }, patch)
    concluded?.(deliveryStateOf({ ...delivery, ...patch }))
  }

  /** Queues an ended delivery again. Returns false for one that has not ended. */
  function again(turn: SubscriptionTurn, delivery: Delivery): boolean {
    const before = deliveryStateOf(delivery)
    const state = nextDeliveryState(before, 'redelivered')
    if (state === before) return false
    const patch = { status: deliveryStatusOf(state), next_attempt_at: turn.now, retried_from: delivery.attempts }
    Object.assign(delivery, patch)
    turn.update(Delivery, { id: delivery.id }, patch)
    turn.records.ended.add(delivery.id)
    if (delivery.ordering_key == null) turn.state.queue.loose_more = true
    else turn.state.queue.reopen(delivery.ordering_key)
    return true
  }

  function saveRecovery(turn: SubscriptionTurn, recovery: Recovery): void {
    turn.state.recovery = recovery
    turn.update(Subscription, { id: turn.key }, { recovery })
  }

  return defineActor<SubscriptionProtocol, SubscriptionState, SubscriptionRecords>({
    kind: 'subscription',
    load: loadSubscriptions,
    create: missingSubscription,

    async read(messages, { key, state, now }) {
      const has = (...types: string[]) => messages.some((message) => types.includes(message.type))
      const asked = messages.flatMap((message) => {
        if (message.type === 'redeliver') return [message.delivery_id]
        if (message.type !== 'deliver') return []
        return message.items.flatMap(({ delivery_id }) => (delivery_id <= state.read_up_to ? [delivery_id] : []))
      })
      const told = messages.flatMap((message) =>
        message.type === 'deliver' ? message.items.map(({ event_id }) => event_id) : [],
      )
      const recovery = state.recovery?.status === 'running' ? state.recovery : null
      const [row, due, known, bodies, undelivered, failed] = await Promise.all([
        has('changed') ? database.em().findOne(Subscription, { id: key }, { disableIdentityMap: true }) : null,
        has('due', 'wake') ? readDue(database, key, state.queue, now) : null,
        readDeliveries(database, asked),
        takeBodies(database, told),
        has('give_up') ? readUndelivered(database, key) : [],
        recovery && has('recover_more') ? readFailed(database, key, recovery) : [],
      ])
      const is_first = recovery && has('recover_more') && recovery.total === null
      const failed_total = is_first ? await countFailed(database, key, recovery) : 0
      const { read_up_to } = state
      return { row, due, read_up_to, known, bodies, undelivered, recovery, failed, failed_total, ended: new Set() }
    },

    receive: {
      deliver(turn, { items }) {
        for (const told of items) take(turn, told)
        if (turn.state.config) proceed(turn)
      },

      attempted(turn, { delivery_id, started_at, result }) {
        const { state } = turn
        const waiting = state.queue.running.get(delivery_id)
        if (!waiting) return
        state.slots.learnt()
        if (result === null) {
          if (isOff(state, waiting.delivery.is_test)) {
            state.queue.running.delete(delivery_id)
            giveUp(turn, waiting.delivery)
          } else state.queue.putBack(delivery_id)
          return proceed(turn)
        }
        turn.records.ended.add(delivery_id)
        const { delivery } = waiting
        conclude(turn, delivery, result, started_at, schedule)
        concluded?.(deliveryStateOf(delivery))
        state.queue.end(delivery_id, delivery.next_attempt_at !== null)
        if (!delivery.is_test) {
          const { concurrency } = state.config!
          observe(state.pace, result, { now: turn.now.getTime(), concurrency, pauses })
        }
        proceed(turn)
      },

      due(turn) {
        turn.state.next_due = null
        takeDue(turn)
      },

      wake(turn) {
        takeDue(turn)
        if (turn.state.recovery?.status === 'running') turn.soon(0, { type: 'recover_more' })
      },

      rest(turn) {
        const { queue, recovery } = turn.state
        if (queue.is_empty && recovery?.status !== 'running') turn.awake(false)
      },

      changed(turn) {
        const { state, records } = turn
        if (!records.row) return
        const was_off = isOff(state, false)
        state.config = toConfig(records.row, database)
        // Only this actor counts; the project resets the count when it enables the subscription.
        const counted = records.row.failure_count === 0 ? 0 : state.health.failure_count
        state.health = { ...toHealth(records.row), failure_count: counted }
        if (!isOff(state, false)) {
          // A repaired receiver need not wait.
          if (was_off) state.pace.paused_until = 0
          return proceed(turn)
        }
        state.slots.sendBack()
        state.queue.clear(({ delivery }) => !isOff(state, delivery.is_test))
        turn.soon(0, { type: 'give_up' })
        turn.awake(true)
      },

      give_up(turn) {
        const { state, records } = turn
        if (!isOff(state, false)) return proceed(turn)
        if (state.recovery?.status === 'running') {
          saveRecovery(turn, { ...state.recovery, status: 'cancelled', completed_at: turn.now.toISOString() })
        }
        let given_up = 0
        for (const delivery of records.undelivered) {
          const { id, is_test } = delivery
          if (!isOff(state, is_test) || state.queue.running.has(id) || records.ended.has(id)) continue
          giveUp(turn, delivery)
          given_up++
        }
        if (records.undelivered.length >= PAGE && given_up > 0) turn.soon(0, { type: 'give_up' })
        else proceed(turn)
      },

      redeliver(turn, { delivery_id }) {
        const { state, records } = turn
        const delivery = records.known.get(delivery_id)
        if (!state.config || !delivery || records.ended.has(delivery_id)) return
        if (isOff(state, delivery.is_test) || state.queue.running.has(delivery_id)) return
        if (again(turn, delivery)) proceed(turn)
      },

      recover(turn, { since, until }) {
        if (!turn.state.config || isOff(turn.state, false)) return
        const started_at = turn.now.toISOString()
        const cursor = `dlv_${objectIdAt(new Date(since))}`
        const progress = { status: 'running' as const, total: null, requeued: 0, cursor, completed_at: null }
        saveRecovery(turn, { since, until, ...progress, started_at })
        turn.soon(0, { type: 'recover_more' })
        turn.awake(true)
      },

      recover_more(turn) {
        const { state, records } = turn
        const { recovery, queue, pace } = state
        if (recovery?.status !== 'running' || recovery !== records.recovery || isOff(state, false)) return
        // Earlier queued deliveries go first, and a receiver that is down gets no more.
        if (queue.is_full || pace.paused_until > turn.now.getTime()) {
          turn.soon(10 * RECOVERY_PAUSE_MS, { type: 'recover_more' })
          return
        }
        const fresh = records.failed.filter(({ id }) => id > recovery.cursor && !records.ended.has(id))
        const requeued = recovery.requeued + fresh.filter((delivery) => again(turn, delivery)).length
        const total = recovery.total ?? records.failed_total
        const cursor = records.failed.at(-1)?.id ?? recovery.cursor
        const is_done = records.failed.length < RECOVERY_PAGE
        saveRecovery(turn, {
          ...recovery,
          total,
          requeued,
          cursor,
          ...(is_done ? { status: 'completed', completed_at: turn.now.toISOString() } : {}),
        })
        if (!is_done) turn.soon(RECOVERY_PAUSE_MS, { type: 'recover_more' })
        proceed(turn)
      },
    },
  })
}

function waitingOf(
  told: Told,
  body: string,
  { id: subscription_id, project_id }: { id: string; project_id: string },
): Waiting {
  const { delivery_id: id, event_id, event_type, ordering_key, is_test } = told
  const delivery: Delivery = {
    id,
    subscription_id,
    project_id,
    event_id,
    event_type,
    ordering_key,
    status: 'pending',
    status_code: null,
    attempts: 0,
    retried_from: 0,
    duration_ms: null,
    last_error: null,
    next_attempt_at: new Date(told.next_attempt_at),
    delivered_at: null,
    is_test,
    created_at: new Date(told.created_at),
  }
  return { delivery, body }
}
