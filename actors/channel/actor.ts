/**
 * The channel actor: one per connected account of a provider. It sends messages to the provider, in order for each
 * recipient, and reports the provider's answers to the project.
 *
 * A message is marked as attempting, durably, before the provider is called. So after a crash the messages that the
 * provider may have taken are known. They are not sent again at once: their status callbacks carry our id and prove
 * that they were taken. Only when none comes within `confirm_ms` is the message sent again. Time in which callbacks
 * could not be stored does not count; a slow commit indicates such a time.
 */
import { type ActorKind, defineActor, mayBegin } from '../../runtime/mod.ts'
import { Channel, type Database, Dispatch, now, readRows } from '../../storage/mod.ts'
import { wakeAt } from '../due_timer.ts'
import type { AcceptedMessage } from '../project/messages/outcomes.ts'
import { NOT_BEGUN, type Outcome, type Providers, type SendFailure, verdictOf } from '../providers/mod.ts'
import { finish, refuse, tellRefused, withdraw, withdrawBeyond } from './ending.ts'
import { failed, MAX_ATTEMPTS } from './failed_attempt.ts'
import { heard, judge, setStatus, tellStatus, works } from './health.ts'
import { Pacer } from './pace.ts'
import type { BulkToSend, ChannelProtocol, ChannelRecords, ChannelTurn, ToSend } from './protocol.ts'
import type { Item } from './send_queue.ts'
import {
  type ChannelState,
  CONCURRENCY,
  ITEMS,
  loadChannels,
  missingChannel,
  paceOf,
  readDispatches,
  toConfig,
} from './state.ts'

export type ChannelOptions = {
  database: Database
  providers: Providers
  /** Milliseconds to wait for a status callback before a message in doubt is sent again. */
  confirm_ms?: number | undefined
  /** Maximum backlog before senders are asked to refuse more. Default 100 000. */
  most_waiting?: number | undefined
  /** Milliseconds between two probes whether the provider still accepts the account. */
  probe_ms?: number | undefined
  /** Called for every attempt to send a message, once the provider has answered or the call timed out. */
  observe?: ((call: SendCall) => void) | undefined
}

/** `outcome` is `accepted`, or the kind of failure. */
export type SendCall = { channel_type: string; outcome: 'accepted' | SendFailure['kind']; duration_ms: number }

const CONFIRM_MS = 30_000
const PROBE_MS = 600_000
const MOST_WAITING = 100_000
/** Senders are let in again when the backlog falls to this share of the maximum. */
const ROOM = 0.8
/** Milliseconds after which the pace is checked again at the latest, so that a wait that exists only in memory is short. */
const FLOW_MS = 100
/** Interval in which bulk messages that wait for the pace leave together, sharing turns and commits. Milliseconds. */
const BULK_TICK_MS = 250
/** A commit that takes longer, and longer than a quarter of `confirm_ms`, means that no callback could be stored meanwhile. */
const DEAF_MS = 1000
const LOST_FAILURE = { code: 'unconfirmed', message: 'The provider never said whether it took the message.' }
const NO_PROVIDER: Outcome = {
  failure: { kind: 'refuse', code: 'NO_PROVIDER', message: 'Nothing here can send.', maybe_accepted: false },
}
/** No call was made: the proof of the previous attempt may have arrived while it could not be stored. */
const UNHEARD: Outcome = { failure: { ...LOST_FAILURE, kind: 'unknown', maybe_accepted: true } }

export function channelActor(options: ChannelOptions): ActorKind<ChannelProtocol, ChannelState, ChannelRecords> {
  const {
    database,
    providers,
    confirm_ms = CONFIRM_MS,
    probe_ms = PROBE_MS,
    most_waiting = MOST_WAITING,
    observe,
  } = options
  const deaf_ms = Math.max(DEAF_MS, confirm_ms / 4)

  function start(turn: ChannelTurn, item: Item, fresh: boolean): void {
    const { state } = turn
    const config = state.config!
    const { dispatch } = item
    const again = item.phase === 'doubtful'
    const decided_at = performance.now()
    item.phase = 'attempting'
    state.running.set(dispatch.message_id, decided_at)
    state.pacer.take(dispatch.recipient, decided_at)
    const patch = {
      state: 'attempting' as const,
      attempts: dispatch.attempts + 1,
      next_attempt_at: new Date(turn.now.getTime() + confirm_ms),
    }
    Object.assign(dispatch, patch)
    if (fresh) turn.insert(Dispatch, dispatch)
    else turn.update(Dispatch, { message_id: dispatch.message_id }, patch)
    const { message_id, request, attempts } = dispatch
    const provider = providers.of(config)
    const call = async (signal: AbortSignal) => {
      const attempted = { type: 'attempted', message_id, attempt: attempts }
      if (again && performance.now() - decided_at > deaf_ms) return { ...attempted, outcome: UNHEARD, at: now() }
      // The new owner of the channel will send it.
      if (!mayBegin(signal)) return { ...attempted, outcome: again ? UNHEARD : { failure: NOT_BEGUN }, at: now() }
      const from = performance.now()
      const outcome: Outcome = provider ? await provider.send(config.credentials, request, signal) : NO_PROVIDER
      const kind = 'sent' in outcome ? 'accepted' : outcome.failure.kind
      observe?.({ channel_type: config.channel_type, outcome: kind, duration_ms: performance.now() - from })
      const at = now()
      if (dispatch.is_bulk) await state.result_batcher.join(state.running.size)
      return { ...attempted, outcome, at }
    }
    // The provider's answer ends the doubt that a change of owner begins.
    turn.work(call, { unbroken: true })
  }

  /** Earliest time of an attempt (milliseconds), null for now. A message in doubt waits until its callback had time to arrive. */
  function attemptAt({ hears_since }: ChannelState, { phase, dispatch }: Item, now: number): number | null {
    const stored = dispatch.next_attempt_at?.getTime() ?? null
    const at = phase === 'doubtful' ? Math.max(stored!, hears_since + confirm_ms) : stored
    return at === null || at <= now ? null : at
  }

  function timeCommit(turn: ChannelTurn): void {
    const { state, records } = turn
    if (records.timed) return
    records.timed = true
    const from = performance.now()
    turn.after(() => {
      if (performance.now() - from > deaf_ms) state.hears_since = now()
    })
  }

  /** Puts a recipient into the queue that fits its first message. */
  function place(turn: ChannelTurn, recipient: string): void {
    const { state } = turn
    const { queue } = state
    for (let head = queue.head(recipient); head && head.phase !== 'attempting'; head = queue.head(recipient)) {
      const at = attemptAt(state, head, turn.now.getTime())
      if (at !== null) {
        queue.place(recipient, at)
        wakeAt(turn, new Date(at))
        return
      }
      // All attempts are used up, and the outcome is still unknown.
      const is_hopeless = head.phase === 'doubtful' && head.dispatch.attempts >= MAX_ATTEMPTS
      if (!is_hopeless) {
        queue.place(recipient, null)
        return
      }
      refuse(turn, head, head.failure ?? LOST_FAILURE, turn.now.getTime())
    }
  }

  /** Starts all messages that may go, and schedules the rest. */
  function proceed(turn: ChannelTurn, recipients: Iterable<string> = []): void {
    const { state } = turn
    for (const recipient of recipients) place(turn, recipient)
    flow(turn)
    timeCommit(turn)
    if (state.overflow && state.queue.size < ITEMS / 2) turn.soon(0, { type: 'refill' })
    turn.awake(state.queue.size > 0 || state.overflow)
    tellFull(turn)
  }

  function tellFull(turn: ChannelTurn): void {
    const { state } = turn
    const beyond = state.overflow ? state.next_number - 1 - state.last_loaded : 0
    const most = state.is_full ? most_waiting * ROOM : most_waiting
    const is_full = state.queue.size + beyond >= most
    if (is_full === state.is_full) return
    state.is_full = is_full
    turn.full(is_full)
  }

  /** `fresh` is a message that is not in the table yet. */
  function flow(turn: ChannelTurn, fresh?: Item): void {
    const { state } = turn
    const { queue, pacer, breaker } = state
    const moment = performance.now()
    const room = breaker.is_half_open ? 1 : CONCURRENCY
    while (queue.has_ready && state.running.size < room) {
      if (state.paused_until > turn.now.getTime()) {
        wakeAt(turn, new Date(state.paused_until))
        return
      }
      const wait = pacer.wait(moment)
      if (wait > 0) {
        if (queue.has_urgent) turn.soon(Math.min(Math.ceil(wait), FLOW_MS), { type: 'flow' })
        else turn.soon(BULK_TICK_MS, { type: 'bulk_tick' })
        return
      }
      const item = queue.next()!
      const { recipient } = item.dispatch
      const own_wait = pacer.waitFor(recipient, moment)
      if (own_wait === 0) start(turn, item, item === fresh)
      else {
        const at = Math.ceil(now() + own_wait) + 1
        queue.place(recipient, at)
        wakeAt(turn, new Date(at))
      }
    }
  }

  /** Accepts a message. Returns false when there is no such channel. */
  function take(turn: ChannelTurn, { project_id, message_id, recipient, request }: ToSend, bulk?: BulkToSend): boolean {
    const { state, records } = turn
    const { queue } = state
    if (!state.config) {
      const error = { code: 'CHANNEL_NOT_CONNECTED', message: 'The channel no longer exists.' }
      tellRefused(turn, { project_id, message_id }, error, turn.now.getTime())
      return false
    }
    expectProbe(turn)
    const dispatch: Dispatch = {
      message_id,
      channel_id: state.config.id,
      project_id,
      number: state.next_number++,
      recipient,
      request,
      state: 'queued',
      is_bulk: bulk !== undefined,
      broadcast_id: bulk?.broadcast_id ?? null,
      attempts: 0,
      next_attempt_at: null,
      last_error: null,
      created_at: turn.now,
    }
    if (state.overflow || queue.size >= ITEMS) {
      state.overflow = true
      state.last_stored = dispatch.number
      records.beyond.set(message_id, dispatch)
      turn.insert(Dispatch, dispatch)
      return true
    }
    const item = queue.add(dispatch)
    state.last_loaded = dispatch.number
    place(turn, recipient)
    flow(turn, item)
    // A started message is in the table already, as attempting.
    if (item.phase === 'queued') turn.insert(Dispatch, dispatch)
    return true
  }

  /** Sets the timer of the next probe, unless one is set. */
  function expectProbe(turn: ChannelTurn): void {
    const { state } = turn
    if (state.next_probe !== null || !state.config?.is_active) return
    // Spread at random, so that the channels of a provider do not probe it all at once.
    state.next_probe = turn.now.getTime() + Math.round(probe_ms * (0.75 + 0.5 * Math.random()))
    turn.timer('probe', new Date(state.next_probe), { type: 'probe' })
  }

  return defineActor<ChannelProtocol, ChannelState, ChannelRecords>({
    kind: 'channel',
    load: (ids, database) => loadChannels(ids, database, providers),
    create: missingChannel,

    async read(messages, { key, state }) {
      const has = (type: string) => messages.some((message) => message.type === type)
      const called_back = messages.flatMap((one) => (one.type === 'withdraw' ? one.message_ids : []))
      const unknown = state.overflow ? called_back.filter((id) => !state.queue.find(id)) : []
      const [row, more, beyond] = await Promise.all([
        has('refresh') ? database.em().findOne(Channel, { _id: key }, { disableIdentityMap: true }) : null,
        has('refill') ? readDispatches(database, key, state.last_loaded) : [],
        unknown.length > 0 ? readRows(database, Dispatch, { channel_id: key, message_id: unknown }) : [],
      ])
      const byId = new Map(beyond.map((dispatch) => [dispatch.message_id, dispatch]))
      return { row, more, beyond: byId, ended: new Set(), timed: false }
    },

    receive: {
      dispatch(turn, message) {
        if (take(turn, message)) proceed(turn)
      },

      dispatch_bulk(turn, { items }) {
        const taken = items.filter((message) => take(turn, message, message))
        if (taken.length > 0) proceed(turn)
      },

      withdraw(turn, { message_ids }) {
        const recipients = new Set<string>()
        for (const id of message_ids) {
          const item = turn.state.queue.find(id)
          if (!item) withdrawBeyond(turn, id)
          // After this phase the provider may have it.
          if (item?.phase !== 'queued') continue
          recipients.add(item.dispatch.recipient)
          withdraw(turn, item)
        }
        if (turn.state.config) proceed(turn, recipients)
      },

      attempted(turn, { message_id, attempt, outcome, at }) {
        const { state } = turn
        const item = state.queue.find(message_id)
        // A late answer to an earlier attempt says nothing about the last one.
        if (item && item.dispatch.attempts !== attempt) return
        const started_at = state.running.get(message_id) ?? 0
        state.running.delete(message_id)
        // A status callback arrived before the answer.
        if (!item || item.phase === 'queued') {
          if ('sent' in outcome) state.breaker.answered()
          return proceed(turn)
        }
        if ('sent' in outcome) {
          finish(turn, item)
          state.breaker.answered()
          const { confirms = false, early_statuses = false } = providers.of(state.config!) ?? {}
          if (confirms) state.callback_monitor.accepted(at)
          const { sent: provider_message_id, taken_after } = outcome
          const accepted: AcceptedMessage = { message_id, provider_message_id, at, taken_after, early_statuses }
          turn.gather(`project/${item.dispatch.project_id}`, 'messages_accepted', accepted)
          works(turn)
        } else failed(turn, item, outcome.failure, started_at, at)
        proceed(turn, [item.dispatch.recipient])
      },

      confirmed(turn, { message_id }) {
        const item = turn.state.queue.find(message_id)
        // The project reports this once, so it settles the message in every phase: a call under way may yet end without
        // an answer, and a repeated one would send twice.
        if (!item) return
        finish(turn, item)
        proceed(turn, [item.dispatch.recipient])
      },

      due(turn) {
        const { state } = turn
        state.next_due = null
        const { recipients, next } = state.queue.due(turn.now.getTime())
        if (next !== null) wakeAt(turn, new Date(next))
        proceed(turn, recipients)
      },

      flow(turn) {
        proceed(turn)
      },

      bulk_tick(turn) {
        proceed(turn)
      },

      refill(turn) {
        const { state, records } = turn
        const recipients = new Set<string>()
        for (const dispatch of records.more) {
          const number = Number(dispatch.number)
          if (number <= state.last_loaded) continue
          state.last_loaded = number
          // In doubt since before this actor was loaded, or finished in this very turn.
          if (state.queue.find(dispatch.message_id) || records.ended.has(dispatch.message_id)) continue
          recipients.add(dispatch.recipient)
          state.queue.add(dispatch)
        }
        // This very turn may have added rows to the table after it was read.
        state.overflow = records.more.length === ITEMS || state.last_loaded < state.last_stored
        proceed(turn, recipients)
      },

      probe(turn) {
        const { state } = turn
        const { config } = state
        state.next_probe = null
        if (!config?.is_active) return
        expectProbe(turn)
        const provider = providers.of(config)
        if (!provider) return
        turn.work(async () => ({ type: 'probed', verdict: verdictOf(await provider.probe(config.credentials)) }))
      },

      probed(turn, { verdict }) {
        if (turn.state.config) judge(turn, verdict, probe_ms)
      },

      heard,

      account(turn, { status, reason }) {
        if (turn.state.config) setStatus(turn, status, reason)
      },

      refresh(turn, { is_new = false }) {
        const { state } = turn
        const { row } = turn.records
        const before = state.config
        state.config = row ? toConfig(row, database) : null
        if (!state.config) return
        state.pacer = new Pacer(paceOf(state.config, providers))
        if (is_new || (before && before.status !== state.config.status)) tellStatus(turn)
        expectProbe(turn)
        proceed(turn, state.queue.recipients())
      },

      wake(turn) {
        proceed(turn, turn.state.queue.recipients())
      },
    },
  })
}
