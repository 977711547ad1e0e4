/**
 * The channel actor: one per connected account of a provider. It sends messages to the provider, in order for each
 * recipient, and reports the provider's answers to the project.
 *
 * A message is marked as attempting, durably, before the provider is called. So after a crash the messages that the
 * provider may have taken are known. They are not sent again at once: their status callbacks carry our id and prove
 * that they were taken. Only when none comes although others do is the message sent again (`callback_wait.ts`). Where
 * no callback can tell, it ends as sent without a confirmation: a person may have it, and would get it twice.
 */
import { type ActorKind, defineActor, type Tracer } from '../../runtime/mod.ts'
import { Channel, type Database, Dispatch, listErasedDispatches, readRows } from '../../storage/mod.ts'
import { tellSettled } from '../data_rights/mod.ts'
import type { Providers } from '../providers/mod.ts'
import { wakeAt } from '../timers/due_timer.ts'
import { stayAwake } from '../timers/stay_awake.ts'
import { accepted, settleLate } from './accepted_attempt.ts'
import { announce } from './announced_change.ts'
import { enqueue, refillSoon, takeMore, tellFull } from './backlog.ts'
import { CallbackWait } from './callback_wait.ts'
import { abandon, CHANNEL_GONE, finish, finishBeyond, tellRefused, withdraw, withdrawBeyond } from './ending.ts'
import { eraseChannel, eraseMessages } from './erasing.ts'
import { failed } from './failed_attempt.ts'
import { healthOf, heard, setStatus } from './health.ts'
import { Probe } from './probe.ts'
import type { BulkToSend, ChannelProtocol, ChannelRecords, ChannelTurn, ToSend } from './protocol.ts'
import { ProviderCalls, type SendCall } from './provider_calls.ts'
import { SendWindow } from './send_window.ts'
import { type ChannelState, loadChannels, missingChannel, readDispatches, toConfig } from './state.ts'
import { takeRow } from './take_row.ts'

export type ChannelOptions = {
  database: Database
  providers: Providers
  /** Milliseconds to wait for a status callback before a message in doubt is sent again. */
  confirm_ms?: number | undefined
  /** Maximum backlog before senders are asked to refuse more. Default 100 000. */
  max_waiting?: number | undefined
  /** Maximum messages of a channel in memory; the others wait in the table alone. Default 2000. */
  max_items?: number | undefined
  /** Milliseconds between two probes whether the provider still accepts the account. */
  probe_ms?: number | undefined
  /** Called for every attempt to send a message, once the provider has answered or the call timed out. */
  observe?: ((call: SendCall) => void) | undefined
  tracer?: Tracer | undefined
}

const CONFIRM_MS = 30_000
const PROBE_MS = 600_000
const MAX_WAITING = 100_000

function isBusy({ queue, stored_queues }: ChannelState): boolean {
  return queue.size > 0 || !stored_queues.is_empty
}

export function channelActor(options: ChannelOptions): ActorKind<ChannelProtocol, ChannelState, ChannelRecords> {
  const { database, providers, max_waiting = MAX_WAITING, max_items } = options
  const callback_wait = new CallbackWait(options.confirm_ms ?? CONFIRM_MS, providers)
  const send_window = new SendWindow(new ProviderCalls(providers, callback_wait, options), callback_wait)
  const probe = new Probe(providers, options.probe_ms ?? PROBE_MS)

  /**
   * Starts all messages that may go, those of these recipients included, and schedules the rest. Without a channel it
   * ends them.
   */
  function proceed(turn: ChannelTurn, recipients: Iterable<string> = []): void {
    const { state } = turn
    if (!state.config) {
      abandon(turn)
      refillSoon(turn)
      stayAwake(turn, isBusy(state))
      return
    }
    const changed = state.is_placed ? recipients : state.queue.recipients()
    state.is_placed = true
    for (const recipient of changed) send_window.place(turn, recipient)
    send_window.flow(turn)
    callback_wait.timeCommit(turn)
    refillSoon(turn)
    stayAwake(turn, isBusy(state))
    tellFull(turn, max_waiting)
  }

  /** Accepts a message. Returns false when there is no such channel. */
  function take(turn: ChannelTurn, message: ToSend, bulk?: BulkToSend): boolean {
    if (!turn.state.config) {
      tellRefused(turn, { ...message, cause: turn.cause }, CHANNEL_GONE, turn.now.getTime())
      return false
    }
    probe.expect(turn)
    const item = enqueue(turn, message, bulk)
    if (!item) return true
    send_window.place(turn, message.recipient)
    send_window.flow(turn, item)
    // A started message is in the table already, as attempting.
    if (item.phase === 'queued') turn.insert(Dispatch, item.dispatch)
    return true
  }

  return defineActor<ChannelProtocol, ChannelState, ChannelRecords>({
    kind: 'channel',
    load: (ids, database) => loadChannels(ids, database, providers, max_items),
    create: () => missingChannel(max_items),
    // Rows of the dispatch table are written by this actor alone.
    early: { dispatch: [], dispatch_bulk: [], confirmed: [] },
    // An erasure reads the messages' own rows, and the queue as earlier messages left it.
    // So does a refresh: the row that it reads has what earlier messages wrote. A refill finds all rows that they added.
    alone: ['erase', 'refresh', 'refill'],

    async read(messages, { key, state }) {
      const has = (type: string) => messages.some((message) => message.type === type)
      const called_back = messages.flatMap((one) =>
        one.type === 'withdraw' ? one.message_ids : one.type === 'confirmed' ? [one.message_id] : [],
      )
      const unknown = state.stored_queues.is_empty ? [] : called_back.filter((id) => !state.queue.find(id))
      const numbers = has('refill') ? state.stored_queues.asked.flatMap((part) => part.numbers) : []
      const contacts = messages.flatMap((one) => (one.type === 'erase' ? one.contacts : []))
      const [row, more, beyond, erased] = await Promise.all([
        has('refresh') ? database.em().findOne(Channel, { _id: key }, { disableIdentityMap: true }) : null,
        numbers.length > 0 ? readDispatches(database, key, numbers) : [],
        unknown.length > 0 ? readRows(database, Dispatch, { channel_id: key, message_id: unknown }) : [],
        contacts.length > 0 ? listErasedDispatches(database, key, contacts) : [],
      ])
      const byId = new Map(beyond.map((dispatch) => [dispatch.message_id, dispatch]))
      return { row, more, beyond: byId, erased, ended: new Set(), timed: false }
    },

    receive: {
      dispatch(turn, message) {
        if (take(turn, message)) proceed(turn)
      },

      dispatch_bulk(turn, { items }) {
        const taken = items.filter((message) => {
          turn.cause = message.cause
          return take(turn, message, message)
        })
        if (taken.length > 0) proceed(turn)
      },

      withdraw(turn, { message_ids }) {
        const recipients = new Set<string>()
        for (const id of message_ids) {
          const item = turn.state.queue.find(id)
          if (!item) withdrawBeyond(turn, id)
          if (!item) continue
          // After this phase the provider may have it.
          if (item.phase !== 'queued') {
            item.is_withdrawn = true
            continue
          }
          recipients.add(item.dispatch.recipient)
          withdraw(turn, item)
        }
        if (turn.state.config) proceed(turn, recipients)
      },

      attempted(turn, { message_id, attempt, outcome, at }) {
        const { state } = turn
        const item = state.queue.find(message_id)
        // The provider has the message, whichever attempt it was that it took. A late failure says nothing of the last one.
        if (item && item.dispatch.attempts !== attempt && !('sent' in outcome)) return
        const started_at = state.running.get(message_id) ?? 0
        if (item?.dispatch.attempts === attempt) state.running.delete(message_id)
        const provider = state.config ? providers.of(state.config) : undefined
        // A status callback arrived before the answer, or nothing was to be expected any more.
        if (!item) {
          state.running.delete(message_id)
          if ('sent' in outcome) state.breaker.answered()
          if (state.config && callback_wait.settlesNothing(state))
            settleLate(turn, state.config.project_id, message_id, outcome, at)
          return proceed(turn)
        }
        if ('sent' in outcome) accepted(turn, item, outcome, started_at, at, provider)
        else if (item.phase === 'queued') return proceed(turn)
        else failed(turn, item, outcome.failure, started_at, at, callback_wait)
        proceed(turn, [item.dispatch.recipient])
      },

      confirmed(turn, { message_id }) {
        const item = turn.state.queue.find(message_id)
        // The project reports this once, so it settles the message in every phase: a call under way may yet end without
        // an answer, and a repeated one would send twice.
        if (!item) return finishBeyond(turn, message_id)
        finish(turn, item)
        proceed(turn, [item.dispatch.recipient])
      },

      due(turn) {
        const { state } = turn
        state.next_due = null
        const { recipients, next } = state.queue.due(turn.now.getTime())
        const next_parked = state.stored_queues.due(turn.now.getTime())
        for (const at of [next, next_parked]) if (at !== null) wakeAt(turn, new Date(at))
        proceed(turn, recipients)
      },

      flow(turn) {
        proceed(turn)
      },

      rest(turn) {
        if (!isBusy(turn.state)) turn.awake(false)
      },

      bulk_tick(turn) {
        proceed(turn)
      },

      refill(turn) {
        proceed(turn, takeMore(turn))
      },

      probe(turn) {
        probe.begin(turn)
      },

      probed(turn, { verdict, asked_at }) {
        probe.end(turn, verdict, asked_at)
      },

      heard,

      account(turn, { status, reason }) {
        if (turn.state.config) setStatus(turn, status, reason)
      },

      refresh(turn, message) {
        if (message.announces) {
          announce(turn, message.announces.project_id)
          return true
        }
        takeRow(turn, message, (row) => toConfig(row, database), providers)
        turn.state.stored_queues.unpark()
        if (turn.state.config) probe.expect(turn)
        proceed(turn, turn.state.queue.recipients())
        return undefined
      },

      erase(turn, { all, ...ask }) {
        if (all) eraseChannel(turn)
        else eraseMessages(turn)
        tellSettled(turn, ask)
        if (turn.state.config) proceed(turn, turn.state.queue.recipients())
      },

      wake(turn) {
        proceed(turn, turn.state.queue.recipients())
      },

      health: ({ state, now }) => healthOf(state, now),
    },

    peek: { health: ({ state, now }) => healthOf(state, now) },
  })
}
