/**
 * The subscription actor: one per webhook subscription. The project creates deliveries with the event; this actor
 * attempts them and writes the outcomes.
 *
 * The `delivery` table is the queue: a row that is `pending` or `failed` with a `next_attempt_at` is still to be done.
 * Memory holds the attempts under way and the front of the queue (`delivery_queue.ts`), so a backlog costs no memory.
 * An attempt cut off by a crash is made again under the same ids: receivers may see an event twice, never not at all.
 */
import { type ActorKind, defineActor, type Tracer } from '../../runtime/mod.ts'
import { type Database, readFetched, Subscription } from '../../storage/mod.ts'
import { tellSettled } from '../data_rights/mod.ts'
import type { DeliveryState } from '../machines/mod.ts'
import { stayAwake } from '../timers/stay_awake.ts'
import type { AttemptResult, WebhookSender } from '../webhook/mod.ts'
import { DeliveryEnds } from './delivery_ends.ts'
import { eraseSubscription } from './erasing.ts'
import { Intake } from './intake.ts'
import { observe, pauseRange } from './pace.ts'
import type { SubscriptionProtocol, SubscriptionRecords, SubscriptionTurn } from './protocol.ts'
import {
  countFailed,
  findDeleted,
  PAGE,
  readDeliveries,
  readDue,
  readFailed,
  readUnacknowledged,
  readUndelivered,
  takeBodies,
} from './reads.ts'
import { beginRecovery, cancelRecovery, continueRecovery } from './recovery.ts'
import { redeliver } from './redelivery.ts'
import { SendWindow } from './send_window.ts'
import {
  isOff,
  loadSubscriptions,
  missingSubscription,
  readSigningKeys,
  type SubscriptionState,
  toConfig,
  toHealth,
} from './state.ts'
import { WebhookCalls } from './webhook_calls.ts'

export type SubscriptionOptions = {
  database: Database
  sender: WebhookSender
  /** Seconds before each attempt, the first included. */
  schedule: readonly number[]
  /** The public address of the API, which names the source of CloudEvents. */
  base_url: string
  /** Called with every attempt, once it is over. */
  attempted?: ((result: AttemptResult) => void) | undefined
  /** Called with the new state of each delivery, after an attempt or the end of its subscription. */
  concluded?: ((state: DeliveryState) => void) | undefined
  tracer?: Tracer | undefined
}

/** After all deliveries. */
const LAST = 'dlv_g'

function isBusy({ queue, recovery, is_giving_up }: SubscriptionState): boolean {
  return !queue.is_empty || recovery?.status === 'running' || is_giving_up
}

/** Ends the deliveries of a subscription that is off. A new owner goes on. */
function giveUpAll(turn: SubscriptionTurn): void {
  turn.state.is_giving_up = true
  turn.soon(0, { type: 'give_up' })
  turn.awake(true)
}

export function subscriptionActor(
  options: SubscriptionOptions,
): ActorKind<SubscriptionProtocol, SubscriptionState, SubscriptionRecords> {
  const { database, sender, schedule, base_url, concluded } = options
  const pauses = pauseRange(schedule)
  const calls = new WebhookCalls(sender, options)
  const ends = new DeliveryEnds(schedule, concluded)
  const intake = new Intake(calls, ends)
  const send_window = new SendWindow(calls)

  /** Starts deliveries that may go, and keeps the actor awake while there is work. */
  function proceed(turn: SubscriptionTurn): void {
    send_window.fill(turn)
    stayAwake(turn, isBusy(turn.state))
  }

  return defineActor<SubscriptionProtocol, SubscriptionState, SubscriptionRecords>({
    kind: 'subscription',
    load: (ids, database) => loadSubscriptions(ids, database, base_url),
    create: missingSubscription,
    // The project's turn writes the rows of the delivery table.
    early: { deliver: ['due', 'wake'] },
    // An erasure looks for the deliveries that earlier messages brought, and an acknowledgement for those that others left.
    alone: ['erase', 'acknowledge'],

    async read(messages, { key, state, now }) {
      const has = (...types: string[]) => messages.some((message) => types.includes(message.type))
      const asked = messages.flatMap((message) => {
        if (message.type === 'redeliver') return [message.delivery_id]
        if (message.type !== 'deliver') return []
        return message.items.flatMap(({ delivery_id }) => (delivery_id <= state.read_up_to ? [delivery_id] : []))
      })
      const events = messages.flatMap((message) =>
        message.type === 'deliver' ? message.items.map(({ event_id }) => event_id) : [],
      )
      const recovery = state.recovery?.status === 'running' ? state.recovery : null
      const acknowledged = messages.flatMap((message) => (message.type === 'acknowledge' ? [message.up_to] : []))
      const up_to = acknowledged.sort().at(-1)
      const ends_all = has('give_up') && state.config?.mode === 'poll'
      const [row, due, known, bodies, undelivered, polled, fetched, failed, deleted] = await Promise.all([
        has('changed') ? database.em().findOne(Subscription, { id: key }, { disableIdentityMap: true }) : null,
        has('due', 'wake') ? readDue(database, key, state.queue, now) : null,
        readDeliveries(database, asked),
        takeBodies(database, events),
        has('give_up') ? readUndelivered(database, key) : [],
        up_to === undefined ? [] : readUnacknowledged(database, key, up_to),
        up_to === undefined && !ends_all ? null : readFetched(database, key, ends_all ? LAST : up_to!),
        recovery && has('recover_more') ? readFailed(database, key, recovery) : [],
        has('erase') ? findDeleted(database, state.queue.ids()) : [],
      ])
      const keys = row ? await readSigningKeys(database, [row]) : []
      const is_first = recovery && has('recover_more') && recovery.total === null
      const failed_total = is_first ? await countFailed(database, key, recovery) : 0
      const { read_up_to } = state
      const found = {
        row,
        keys,
        due,
        read_up_to,
        known,
        bodies,
        undelivered,
        polled,
        fetched,
        deleted,
        recovery,
        failed,
        failed_total,
      }
      return { ...found, ended: new Set() }
    },

    receive: {
      deliver(turn, { items }) {
        for (const item of items) intake.take(turn, item)
        if (turn.state.config) proceed(turn)
      },

      acknowledge(turn, { up_to }) {
        const { state, records } = turn
        if (state.config?.mode !== 'poll') return
        const until = records.polled.findLastIndex(({ id }) => id <= up_to) + 1
        for (const delivery of records.polled.slice(0, until)) {
          if (!records.ended.has(delivery.id)) ends.acknowledge(turn, delivery)
        }
        ends.endFetched(turn, 'success')
        const rest = { type: 'acknowledge', up_to }
        if (until >= PAGE) turn.soon(0, rest)
      },

      attempted(turn, { delivery_id, started_at, result }) {
        const { state } = turn
        const waiting = state.queue.running.get(delivery_id)
        if (!waiting) return
        state.slots.learnt()
        if (result === null) {
          if (isOff(state, waiting.delivery.is_test)) {
            state.queue.running.delete(delivery_id)
            ends.giveUp(turn, waiting.delivery)
          } else state.queue.putBack(delivery_id)
          return proceed(turn)
        }
        const { delivery } = waiting
        ends.conclude(turn, delivery, result, started_at)
        state.queue.end(delivery_id, delivery.next_attempt_at !== null, turn.now)
        if (!delivery.is_test) {
          const { concurrency } = state.config!
          observe(state.pace, result, { now: turn.now.getTime(), concurrency, pauses })
        }
        proceed(turn)
      },

      due(turn) {
        turn.state.next_due = null
        if (intake.takeDue(turn)) proceed(turn)
      },

      wake(turn) {
        if (intake.takeDue(turn)) proceed(turn)
        if (turn.state.recovery?.status === 'running') turn.soon(0, { type: 'recover_more' })
        // The owner before may have ended some of them only.
        if (turn.state.config && isOff(turn.state, false)) giveUpAll(turn)
      },

      rest(turn) {
        if (!isBusy(turn.state)) turn.awake(false)
      },

      changed(turn) {
        const { state, records } = turn
        if (!records.row) return
        const was_off = isOff(state, false)
        state.config = toConfig(records.row, database, base_url, records.keys)
        // Only this actor counts; the project resets the count when it enables the subscription.
        const counted = records.row.failure_count === 0 ? 0 : state.health.failure_count
        state.health = { ...toHealth(records.row), failure_count: counted }
        // Deliveries that wait for a slot are counted anew against the concurrency.
        state.slots.sendBack()
        if (!isOff(state, false)) {
          // A repaired receiver need not wait.
          if (was_off) state.pace.paused_until = 0
          return proceed(turn)
        }
        state.queue.clear(({ delivery }) => !isOff(state, delivery.is_test))
        giveUpAll(turn)
      },

      give_up(turn) {
        const { state, records } = turn
        state.is_giving_up = false
        if (!isOff(state, false)) return proceed(turn)
        cancelRecovery(turn)
        if (state.config?.mode === 'poll') ends.endFetched(turn, 'dead')
        let abandoned = 0
        for (const delivery of records.undelivered) {
          const { id, is_test } = delivery
          if (!isOff(state, is_test) || state.queue.running.has(id) || records.ended.has(id)) continue
          ends.giveUp(turn, delivery)
          abandoned++
        }
        if (records.undelivered.length >= PAGE && abandoned > 0) giveUpAll(turn)
        else proceed(turn)
      },

      redeliver(turn, { delivery_id }) {
        const { state, records } = turn
        const delivery = records.known.get(delivery_id)
        if (!state.config || !delivery || records.ended.has(delivery_id)) return
        if (isOff(state, delivery.is_test) || state.queue.running.has(delivery_id)) return
        if (redeliver(turn, delivery)) proceed(turn)
      },

      recover(turn, { since, until }) {
        if (turn.state.config && !isOff(turn.state, false)) beginRecovery(turn, since, until)
      },

      recover_more(turn) {
        if (continueRecovery(turn)) proceed(turn)
      },

      erase(turn, { all, ...ask }) {
        const { state, records } = turn
        tellSettled(turn, ask)
        if (all) eraseSubscription(turn)
        else for (const id of records.deleted) state.queue.forget(id)
        if (state.config && !all) proceed(turn)
      },
    },
  })
}
