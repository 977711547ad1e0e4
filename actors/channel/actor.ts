/**
 * The channel actor: one per connected account of a provider. It hands messages to the provider, in order for each
 * recipient, and tells the project what the provider said.
 *
 * A message is marked as being attempted, durably, before the provider is called. So after a crash it is known which
 * messages the provider may have taken. Those are not sent again at once: their status callbacks carry our id and prove
 * that they were taken; only when none comes within `confirm_ms` is the message sent again. Time in which callbacks could
 * not be stored does not count: a slow commit tells of it.
 */
import { type ActorKind, defineActor, type Turn } from '../../runtime/mod.ts'
import { Channel, type Database, Dispatch } from '../../storage/mod.ts'
import { wakeAt } from '../due_timer.ts'
import type { Failure, Outcome, Providers } from '../providers/mod.ts'
import {
  type ChannelState,
  ITEMS,
  type Item,
  keepItem,
  loadChannels,
  missingChannel,
  readDispatches,
  toConfig,
} from './state.ts'

export type ChannelProtocol = {
  /** From the project: a message to send. `request` is the provider's body. */
  dispatch: {
    message: { project_id: string; message_id: string; recipient: string; request: Record<string, unknown> }
    reply: void
  }
  /** From the project: a status callback proved that the provider has this message. */
  confirmed: { message: { message_id: string; provider_message_id: string }; reply: void }
  /** What came of an attempt; also from a former owner of this channel. */
  attempted: { message: { message_id: string; attempt: number; outcome: Outcome; at: number }; reply: void }
  /** The timer: something may be tried again. */
  due: { message: object; reply: void }
  /** Memory has room for rows that wait in the table. */
  refill: { message: object; reply: void }
  /** From the operator API: the row was changed. */
  refresh: { message: object; reply: void }
  /** From the project: the provider's webhook said so. */
  account: { message: { status: 'connected' | 'disconnected'; reason: string | null }; reply: void }
  wake: { message: object; reply: void }
}

/** `timed`: the commit of this turn is being timed. */
type Records = { row: Channel | null; more: Dispatch[]; timed: boolean }
type ChannelTurn = Turn<ChannelState, Records>

export type ChannelOptions = {
  database: Database
  providers: Providers
  /** How long to wait for a status callback before a message in doubt is sent again. Milliseconds. */
  confirm_ms?: number
}

const CONCURRENCY = 64
const MAX_ATTEMPTS = 8
const CONFIRM_MS = 30_000
const BACKOFF_MS = 1000
const LONGEST_BACKOFF_MS = 60_000
/** A commit that takes longer, and longer than a quarter of `confirm_ms`, says that nothing could be stored meanwhile. */
const DEAF_MS = 1000
const LOST_FAILURE = { code: 'unconfirmed', message: 'The provider never said whether it took the message.' }
/** No call was made: the proof of the one before may have come while nothing could be stored. */
const UNHEARD: Outcome = { failure: { ...LOST_FAILURE, kind: 'unknown', maybe_accepted: true } }

export function channelActor(options: ChannelOptions): ActorKind<ChannelProtocol, ChannelState, Records> {
  const { database, providers, confirm_ms = CONFIRM_MS } = options
  const deaf_ms = Math.max(DEAF_MS, confirm_ms / 4)

  function start(turn: ChannelTurn, item: Item, fresh = false): void {
    const { state } = turn
    const config = state.config!
    const { dispatch } = item
    const again = item.phase === 'doubtful'
    const decided_at = Date.now()
    item.phase = 'attempting'
    state.running.add(dispatch.message_id)
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
      if (again && Date.now() - decided_at > deaf_ms) return { ...attempted, outcome: UNHEARD, at: Date.now() }
      const outcome: Outcome = provider
        ? await provider.send(config.credentials, request, signal)
        : { failure: { kind: 'refuse', code: 'NO_PROVIDER', message: 'Nothing here can send.', maybe_accepted: false } }
      return { ...attempted, outcome, at: Date.now() }
    }
    // What the provider says ends the doubt that a change of owner begins.
    turn.work(call, { unbroken: true })
  }

  /** When an item may be attempted. In doubt, not before its callback had its time to be heard. */
  function attemptAt({ hears_since }: ChannelState, { phase, dispatch }: Item): Date | null {
    const at = dispatch.next_attempt_at ?? null
    return phase === 'doubtful' ? new Date(Math.max(at!.getTime(), hears_since + confirm_ms)) : at
  }

  function startable(state: ChannelState, item: Item, now: Date): boolean {
    if (item.phase === 'attempting') return false
    const at = attemptAt(state, item)
    return !at || at <= now
  }

  function timeCommit(turn: ChannelTurn): void {
    const { state, records } = turn
    if (records.timed) return
    records.timed = true
    const from = Date.now()
    turn.after(() => {
      if (Date.now() - from > deaf_ms) state.hears_since = Date.now()
    })
  }

  /** Tried as often as it may be, and still nobody knows. */
  function isHopeless({ phase, dispatch }: Item): boolean {
    return phase === 'doubtful' && dispatch.attempts >= MAX_ATTEMPTS
  }

  /** Starts the heads of queues that may go, sets the timer for those that may go later. */
  function proceed(turn: ChannelTurn, recipients: Iterable<string>): void {
    const { state } = turn
    for (const recipient of recipients) {
      let head = state.queues.get(recipient)?.[0]
      while (head && isHopeless(head) && startable(state, head, turn.now)) {
        refuse(turn, head, head.failure ?? LOST_FAILURE, turn.now.getTime())
        head = state.queues.get(recipient)?.[0]
      }
      if (!head) continue
      if (startable(state, head, turn.now)) {
        if (state.paused_until > turn.now.getTime()) wakeAt(turn, new Date(state.paused_until))
        else if (state.running.size < CONCURRENCY) start(turn, head)
      } else if (head.phase !== 'attempting') wakeAt(turn, attemptAt(state, head)!)
    }
    settle(turn)
  }

  function settle(turn: ChannelTurn): void {
    const { state } = turn
    timeCommit(turn)
    if (state.overflow && state.items.size < ITEMS / 2) turn.soon(0, { type: 'refill' })
    turn.awake(state.items.size > 0 || state.overflow)
  }

  /** The message is done with: its row goes, and the next of its recipient may go out. */
  function finish(turn: ChannelTurn, item: Item): void {
    const { state } = turn
    const { message_id, recipient } = item.dispatch
    turn.remove(Dispatch, { message_id })
    state.items.delete(message_id)
    const queue = state.queues.get(recipient)!
    queue.splice(queue.indexOf(item), 1)
    if (queue.length === 0) state.queues.delete(recipient)
  }

  /** After a slot became free: this recipient first, then whoever waits. */
  function next(turn: ChannelTurn, recipient: string): void {
    const { state } = turn
    if (state.queues.size > state.running.size) proceed(turn, [recipient, ...state.queues.keys()])
    else proceed(turn, [recipient])
  }

  function tellProject<M extends { type: string }>(turn: ChannelTurn, message: M): void {
    turn.tell(`project/${turn.state.config!.project_id}`, message)
  }

  /** The end of a message that the provider did not take. */
  function refuse(turn: ChannelTurn, item: Item, { code, message }: Pick<Failure, 'code' | 'message'>, at: number) {
    finish(turn, item)
    const { message_id } = item.dispatch
    tellProject(turn, { type: 'message_refused', message_id, error: { code, message }, at })
  }

  function setStatus(turn: ChannelTurn, status: 'connected' | 'disconnected', reason: string | null): void {
    const config = turn.state.config!
    if (config.status === status) return
    config.status = status
    turn.update(Channel, { _id: config.id }, { status, status_reason: reason, updated_at: turn.now })
    tellProject(turn, { type: 'channel_status', channel_id: config.id, status, reason })
  }

  function failed(turn: ChannelTurn, item: Item, failure: Failure, at: number): void {
    const { state } = turn
    const { dispatch } = item
    const { kind, message } = failure
    if (failure.maybe_accepted) {
      item.phase = 'doubtful'
      item.failure = failure
      wakeAt(turn, attemptAt(state, item)!)
      return
    }
    if ((kind === 'retry' || kind === 'slow_down' || kind === 'unknown') && dispatch.attempts < MAX_ATTEMPTS) {
      const backoff = Math.min(BACKOFF_MS * 2 ** (dispatch.attempts - 1), LONGEST_BACKOFF_MS)
      const pause = Math.max(backoff * (1 + 0.2 * Math.random()), (failure.retry_after_s ?? 0) * 1000)
      item.phase = 'queued'
      const patch = { state: 'queued' as const, next_attempt_at: new Date(turn.now.getTime() + Math.ceil(pause)) }
      Object.assign(dispatch, patch)
      turn.update(Dispatch, { message_id: dispatch.message_id }, patch)
      // A limit of the number concerns everybody who waits; a limit of the pair only this recipient.
      if (failure.scope === 'channel')
        state.paused_until = Math.max(state.paused_until, patch.next_attempt_at.getTime())
      wakeAt(turn, patch.next_attempt_at)
      return
    }
    refuse(turn, item, failure, at)
    if (kind === 'disconnect') setStatus(turn, 'disconnected', message)
  }

  return defineActor<ChannelProtocol, ChannelState, Records>({
    kind: 'channel',
    load: loadChannels,
    create: missingChannel,

    async read(messages, { key, state }) {
      const has = (type: string) => messages.some((message) => message.type === type)
      const [row, more] = await Promise.all([
        has('refresh') ? database.em().findOne(Channel, { _id: key }, { disableIdentityMap: true }) : null,
        has('refill') ? readDispatches(database, key, state.last_loaded) : [],
      ])
      return { row, more, timed: false }
    },

    receive: {
      dispatch(turn, { project_id, message_id, recipient, request }) {
        const { state } = turn
        if (!state.config) {
          const error = { code: 'CHANNEL_NOT_CONNECTED', message: 'The channel no longer exists.' }
          const refused = { type: 'message_refused', message_id, error, at: turn.now.getTime() }
          turn.tell(`project/${project_id}`, refused)
          return
        }
        const dispatch: Dispatch = {
          message_id,
          channel_id: state.config.id,
          project_id,
          number: state.next_number++,
          recipient,
          request,
          state: 'queued',
          attempts: 0,
          next_attempt_at: null,
          created_at: turn.now,
        }
        if (state.overflow || state.items.size >= ITEMS) {
          state.overflow = true
          state.last_stored = dispatch.number
          turn.insert(Dispatch, dispatch)
        } else {
          const item = keepItem(state, dispatch)
          state.last_loaded = dispatch.number
          const first = state.queues.get(recipient)![0] === item
          if (first && state.running.size < CONCURRENCY && state.paused_until <= turn.now.getTime())
            start(turn, item, true)
          else {
            turn.insert(Dispatch, dispatch)
            if (first && state.paused_until > turn.now.getTime()) wakeAt(turn, new Date(state.paused_until))
          }
        }
        settle(turn)
      },

      attempted(turn, { message_id, attempt, outcome, at }) {
        const { state } = turn
        const item = state.items.get(message_id)
        // An answer that comes late, from before the last attempt, says nothing about that one.
        if (item && item.dispatch.attempts !== attempt) return
        const was_running = state.running.delete(message_id)
        // A status callback was faster than the answer.
        if (!item || item.phase === 'queued')
          return was_running ? proceed(turn, [...state.queues.keys()]) : settle(turn)
        if ('sent' in outcome) {
          finish(turn, item)
          const accepted = { type: 'message_accepted', message_id, provider_message_id: outcome.sent, at }
          tellProject(turn, accepted)
          setStatus(turn, 'connected', null)
        } else failed(turn, item, outcome.failure, at)
        next(turn, item.dispatch.recipient)
      },

      confirmed(turn, { message_id }) {
        const item = turn.state.items.get(message_id)
        // The project says this once, so it settles the message in every phase: a call that is under way may yet end
        // without an answer, and one that is to be made again would send twice.
        if (!item) return
        finish(turn, item)
        next(turn, item.dispatch.recipient)
      },

      due(turn) {
        turn.state.next_due = null
        proceed(turn, [...turn.state.queues.keys()])
      },

      refill(turn) {
        const { state, records } = turn
        const recipients = new Set<string>()
        for (const dispatch of records.more) {
          const number = Number(dispatch.number)
          if (number <= state.last_loaded) continue
          state.last_loaded = number
          // In doubt since before this actor was loaded.
          if (state.items.has(dispatch.message_id)) continue
          recipients.add(dispatch.recipient)
          keepItem(state, dispatch)
        }
        // This very turn may have put more into the table than was there when it was read.
        state.overflow = records.more.length === ITEMS || state.last_loaded < state.last_stored
        proceed(turn, recipients)
      },

      account(turn, { status, reason }) {
        if (!turn.state.config) return
        setStatus(turn, status, reason)
        proceed(turn, [...turn.state.queues.keys()])
      },

      refresh(turn) {
        const { row } = turn.records
        turn.state.config = row ? toConfig(row, database) : null
        proceed(turn, [...turn.state.queues.keys()])
      },

      wake(turn) {
        proceed(turn, [...turn.state.queues.keys()])
      },
    },
  })
}
