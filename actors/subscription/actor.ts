/**
 * The subscription actor: one per webhook subscription. It turns each event it is told of into exactly one delivery,
 * attempts it, and says what became of it.
 *
 * The `delivery` table is the queue: a row that is `pending` or `failed` with a `next_attempt_at` is still to be done.
 * Memory holds the attempts under way and a short line of what is next, so a backlog costs no memory. An attempt cut
 * off by a crash is made again under the same ids: receivers may see an event twice, never not at all.
 */
import { type ActorKind, defineActor, type Turn } from '../../runtime/mod.ts'
import { type Database, Delivery, Event, prefixedId, Subscription } from '../../storage/mod.ts'
import { wakeAt } from '../due_timer.ts'
import { deliveryStateOf, deliveryStatusOf, nextDeliveryState, nextSubscription } from '../machines/mod.ts'
import {
  type AttemptResult,
  abandon,
  envelopeOf,
  nextAttemptAt,
  settleAttempt,
  type WebhookSender,
} from '../webhook/mod.ts'
import {
  loadSubscriptions,
  missingSubscription,
  type SubscriptionState,
  toConfig,
  toHealth,
  type Waiting,
} from './state.ts'

export type SubscriptionProtocol = {
  /** From the project: an event this subscription listens to, or a test of it. `body` is the envelope. */
  deliver: { message: { event_id: string; event_type: string; body: string; is_test: boolean }; reply: void }
  /** From the project: the row was changed. */
  changed: { message: object; reply: void }
  attempted: { message: { delivery_id: string; result: Outcome }; reply: void }
  /** The timer, and the call to look for more: deliveries in the table are due. */
  due: { message: object; reply: void }
  /** The subscription is off: what is undelivered ends. */
  give_up: { message: object; reply: void }
  wake: { message: object; reply: void }
}

type Outcome = Pick<AttemptResult, 'outcome' | 'status_code' | 'duration_ms' | 'error' | 'retry_after_s'>
/** What was read before the turn, and what this turn has done since to the same rows. */
type Records = {
  row: Subscription | null
  due: Waiting[]
  full: boolean
  undelivered: Delivery[]
  /** Deliveries that ended, or were put off, in this turn. */
  settled: Set<string>
  /** New deliveries went into the table alone. */
  stored: boolean
}
type SubscriptionTurn = Turn<SubscriptionState, Records>

export type SubscriptionOptions = {
  database: Database
  sender: WebhookSender
  /** Seconds before each attempt, the first included. */
  schedule: readonly number[]
}

const CONCURRENCY = 8
const LINE = 256
const PAGE = 500
const NONE_DUE = { due: [], full: false }
const nothingRead = (): Records => {
  return { row: null, ...NONE_DUE, undelivered: [], settled: new Set(), stored: false }
}

export function subscriptionActor(
  options: SubscriptionOptions,
): ActorKind<SubscriptionProtocol, SubscriptionState, Records> {
  const { database, sender, schedule } = options

  function start(turn: SubscriptionTurn, waiting: Waiting): void {
    const { delivery, body } = waiting
    const { url, secret, headers } = turn.state.config!
    turn.state.running.set(delivery.id, waiting)
    turn.work(async (signal) => {
      const { id: delivery_id, event_id, event_type, attempts } = delivery
      const request = { url, secret, headers, event_id, event_type, delivery_id, attempt: attempts + 1, body }
      const { outcome, status_code, duration_ms, error, retry_after_s } = await sender.attempt(request, signal)
      return { type: 'attempted', delivery_id, result: { outcome, status_code, duration_ms, error, retry_after_s } }
    })
  }

  /** Starts what fits, asks for more when the line ran dry, and keeps the actor awake while there is work. */
  function proceed(turn: SubscriptionTurn): void {
    const { state } = turn
    while (state.running.size < CONCURRENCY && state.line.length > 0) start(turn, state.line.shift()!)
    if (state.backlog && state.line.length === 0 && state.running.size < CONCURRENCY) turn.soon(0, { type: 'due' })
    turn.awake(state.running.size > 0 || state.line.length > 0 || state.backlog)
  }

  function takeDue(turn: SubscriptionTurn): void {
    const { state, records } = turn
    state.backlog = records.full || records.stored
    const taken = new Set([...state.running.keys(), ...state.line.map(({ delivery }) => delivery.id)])
    for (const waiting of records.due) {
      const { delivery } = waiting
      if (taken.has(delivery.id) || records.settled.has(delivery.id)) continue
      if (isOff(state, delivery.is_test)) {
        giveUp(turn, delivery)
        continue
      }
      if (delivery.next_attempt_at! > turn.now) {
        wakeAt(turn, delivery.next_attempt_at!)
        continue
      }
      const status = deliveryStatusOf(nextDeliveryState(deliveryStateOf(delivery), 'due'))
      if (status !== delivery.status) {
        delivery.status = status
        turn.update(Delivery, { id: delivery.id }, { status })
      }
      state.line.push(waiting)
    }
    proceed(turn)
  }

  function giveUp(turn: SubscriptionTurn, delivery: Delivery): void {
    turn.records.settled.add(delivery.id)
    turn.update(Delivery, { id: delivery.id }, abandon(delivery))
  }

  return defineActor<SubscriptionProtocol, SubscriptionState, Records>({
    kind: 'subscription',
    load: loadSubscriptions,
    create: missingSubscription,

    async read(messages, { key, state, now }) {
      const has = (...types: string[]) => messages.some((message) => types.includes(message.type))
      if (!has('changed', 'due', 'wake', 'give_up')) return nothingRead()
      const [row, { due, full }, undelivered] = await Promise.all([
        has('changed') ? database.em().findOne(Subscription, { id: key }, { disableIdentityMap: true }) : null,
        has('due', 'wake') ? readDue(database, key, now, LINE + state.running.size + state.line.length) : NONE_DUE,
        has('give_up') ? readUndelivered(database, key) : [],
      ])
      return { ...nothingRead(), row, due, full, undelivered }
    },

    receive: {
      deliver(turn, { event_id, event_type, body, is_test }) {
        const { config } = turn.state
        if (!config) return
        const delivery: Delivery = {
          id: prefixedId('dlv'),
          subscription_id: config.id,
          project_id: config.project_id,
          event_id,
          event_type,
          status: 'pending',
          status_code: null,
          attempts: 0,
          duration_ms: null,
          last_error: null,
          next_attempt_at: nextAttemptAt(1, turn.now, schedule)!,
          delivered_at: null,
          is_test,
          created_at: turn.now,
        }
        if (isOff(turn.state, is_test)) {
          turn.insert(Delivery, { ...delivery, ...abandon(delivery) })
          return
        }
        turn.insert(Delivery, delivery)
        const { state } = turn
        if (delivery.next_attempt_at! > turn.now) return wakeAt(turn, delivery.next_attempt_at!)
        if (state.backlog || state.line.length >= LINE) {
          state.backlog = true
          turn.records.stored = true
        } else state.line.push({ delivery, body })
        proceed(turn)
      },

      attempted(turn, { delivery_id, result }) {
        const { state } = turn
        const waiting = state.running.get(delivery_id)
        if (!waiting) return
        state.running.delete(delivery_id)
        turn.records.settled.add(delivery_id)
        conclude(turn, waiting.delivery, result, schedule)
        proceed(turn)
      },

      due(turn) {
        turn.state.next_due = null
        takeDue(turn)
      },

      wake(turn) {
        takeDue(turn)
      },

      changed(turn) {
        const { state, records } = turn
        if (!records.row) return
        state.config = toConfig(records.row, database)
        // The count is this actor's own; the project only sets it to nought, when it enables.
        const counted = records.row.failure_count === 0 ? 0 : state.health.failure_count
        state.health = { ...toHealth(records.row), failure_count: counted }
        if (isOff(state, false)) {
          state.line = state.line.filter(({ delivery }) => !isOff(state, delivery.is_test))
          turn.soon(0, { type: 'give_up' })
          turn.awake(true)
        }
      },

      give_up(turn) {
        const { state, records } = turn
        if (!isOff(state, false)) return proceed(turn)
        let given_up = 0
        for (const delivery of records.undelivered) {
          const { id, is_test } = delivery
          if (!isOff(state, is_test) || state.running.has(id) || records.settled.has(id)) continue
          giveUp(turn, delivery)
          given_up++
        }
        if (records.undelivered.length >= PAGE && given_up > 0) turn.soon(0, { type: 'give_up' })
        else proceed(turn)
      },
    },
  })
}

/** Writes what an attempt led to, on the delivery and on the subscription's health. */
function conclude(turn: SubscriptionTurn, delivery: Delivery, result: Outcome, schedule: readonly number[]): void {
  const { state, now } = turn
  const is_wanted = !isOff(state, delivery.is_test)
  const settled = settleAttempt(delivery, result, { now, is_wanted, schedule })
  const { status } = settled
  turn.update(Delivery, { id: delivery.id }, settled)
  if (settled.next_attempt_at) wakeAt(turn, settled.next_attempt_at)
  const health: Partial<Subscription> = { last_delivery_at: now }
  if (!delivery.is_test && (status === 'success' || status === 'dead')) {
    const before = state.health
    const after = nextSubscription(before, status === 'success' ? 'delivery_succeeded' : 'delivery_dead').health
    if (after.failure_count !== before.failure_count) health.failure_count = after.failure_count
    if (before.is_active && !after.is_active) {
      // The project keeps the registry: it switches the subscription off and says so with `changed`.
      const { project_id, id } = state.config!
      turn.tell(`project/${project_id}`, { type: 'subscription_failing', subscription_id: id })
    }
    state.health = { ...after, is_active: before.is_active }
  }
  turn.update(Subscription, { id: delivery.subscription_id }, health)
}

function isOff(state: SubscriptionState, is_test: boolean): boolean {
  return state.config!.deleted || (!state.health.is_active && !is_test)
}

/** The next deliveries by due time, with their envelopes; the first one that is not due yet is among them. */
async function readDue(database: Database, subscription_id: string, now: Date, limit: number) {
  const rows = await database
    .em()
    .find(
      Delivery,
      { subscription_id, status: { $in: ['pending', 'failed'] }, next_attempt_at: { $ne: null } },
      { orderBy: { next_attempt_at: 'asc' }, limit, disableIdentityMap: true },
    )
  const full = rows.length === limit && rows[rows.length - 1]!.next_attempt_at! <= now
  const ids = [...new Set(rows.map((row) => row.event_id))]
  const events = await database.em().find(Event, { id: { $in: ids } }, { disableIdentityMap: true })
  const bodies = new Map(events.map((event) => [event.id, envelopeOf(event)]))
  const due = rows.flatMap((delivery) => {
    const body = bodies.get(delivery.event_id)
    return body === undefined ? [] : [{ delivery, body }]
  })
  return { due, full }
}

async function readUndelivered(database: Database, subscription_id: string): Promise<Delivery[]> {
  return database
    .em()
    .find(
      Delivery,
      { subscription_id, status: { $in: ['pending', 'failed'] }, next_attempt_at: { $ne: null } },
      { orderBy: { next_attempt_at: 'asc' }, limit: PAGE, disableIdentityMap: true },
    )
}
