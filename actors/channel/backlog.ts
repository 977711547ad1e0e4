/**
 * The messages that wait for their turn: the first ones in memory, the others in the table alone. Senders are asked to
 * refuse more when there are too many.
 */
import { Dispatch } from '../../storage/mod.ts'
import type { BulkToSend, ChannelTurn, ToSend } from './protocol.ts'
import type { Item } from './send_queue.ts'

/** Senders are let in again when the backlog falls to this share of the maximum. */
const ROOM = 0.8

/**
 * Adds a message to the queue. The caller writes its row, because it may start the message at once. Returns undefined
 * for a message that memory has no room for; it is in the table.
 */
export function enqueue(turn: ChannelTurn, told: ToSend, bulk: BulkToSend | undefined): Item | undefined {
  const { state, records } = turn
  const { project_id, message_id, recipient, request } = told
  const dispatch: Dispatch = {
    message_id,
    channel_id: state.config!.id,
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
  if (state.overflow || state.queue.size >= state.most_items) {
    state.overflow = true
    state.last_stored = dispatch.number
    records.beyond.set(message_id, dispatch)
    turn.insert(Dispatch, dispatch)
    return undefined
  }
  state.last_loaded = dispatch.number
  return state.queue.add(dispatch)
}

/** Asks for rows of the table when memory has room for them. */
export function refillSoon(turn: ChannelTurn): void {
  const { state } = turn
  if (state.overflow && state.queue.size < state.most_items / 2) turn.soon(0, { type: 'refill' })
}

/** Adds the rows that were read from the table, and returns their recipients. */
export function takeMore({ state, records }: ChannelTurn): Set<string> {
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
  state.overflow = records.more.length === state.most_items || state.last_loaded < state.last_stored
  return recipients
}

/** Tells senders when the backlog becomes too long, and when it has room again. `most_waiting`: maximum of messages. */
export function tellFull(turn: ChannelTurn, most_waiting: number): void {
  const { state } = turn
  const beyond = state.overflow ? state.next_number - 1 - state.last_loaded : 0
  const most = state.is_full ? most_waiting * ROOM : most_waiting
  const is_full = state.queue.size + beyond >= most
  if (is_full === state.is_full) return
  state.is_full = is_full
  turn.full(is_full)
}
