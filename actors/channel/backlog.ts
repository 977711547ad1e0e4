/**
 * The messages that wait for their turn: the first ones of each recipient in memory, the others in the table alone
 * (`stored_queues.ts`). Senders are asked to refuse more when there are too many.
 *
 *  B1 Memory has at most `OF_RECIPIENT` messages of a recipient, so one that is blocked leaves room for the others.
 *  B2 Bulk messages fill at most half of memory, so single ones always find room beside them.
 *  B3 When memory is full of recipients that have to wait, they leave it until their time comes.
 */
import { causeColumns } from '../../runtime/mod.ts'
import { blank, Dispatch } from '../../storage/mod.ts'
import { wakeAt } from '../timers/due_timer.ts'
import type { BulkToSend, ChannelTurn, ToSend } from './protocol.ts'
import type { Item } from './send_queue.ts'
import type { ChannelState } from './state.ts'

/** Senders are let in again when the backlog falls to this share of the maximum. */
const ROOM = 0.8
/** Maximum messages of a recipient in memory. */
const OF_RECIPIENT = 16
/** More rows of a recipient are read when memory has no more than these. */
const FEW = 4
/** Maximum queues that one read continues. */
const PARTS = 256
/** A recipient that waits longer than this (milliseconds) may leave memory. */
const SHORT_WAIT_MS = 1_000

/**
 * Adds a message to the queue. The caller writes its row, because it may start the message at once. Returns undefined
 * for a message that memory has no room for; it is in the table.
 */
export function enqueue(turn: ChannelTurn, message: ToSend, bulk: BulkToSend | undefined): Item | undefined {
  const { state, records } = turn
  const { project_id, message_id, recipient, request } = message
  const dispatch = blank(Dispatch, {
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
    created_at: turn.now,
    ...causeColumns(turn.cause),
  })
  const { queue, stored_queues } = state
  const in_memory = queue.count(recipient)
  if (!stored_queues.has(recipient) && in_memory < OF_RECIPIENT && roomFor(state, dispatch.is_bulk) > 0)
    return queue.add(dispatch)
  stored_queues.append(dispatch)
  continueQueue(state, recipient)
  records.beyond.set(message_id, dispatch)
  turn.insert(Dispatch, dispatch)
  return undefined
}

/** The number of messages that memory has room for (B2). */
function roomFor({ queue, max_items }: ChannelState, is_bulk: boolean): number {
  return max_items - queue.size - (is_bulk ? reservedOf(max_items) : 0)
}

/** The places in memory that bulk messages leave to single ones. */
const reservedOf = (max_items: number) => Math.floor(max_items / 2)

/** A message of the recipient has left memory. */
export function continueQueue({ queue, stored_queues }: ChannelState, recipient: string): void {
  if (queue.count(recipient) <= FEW) stored_queues.want(recipient)
}

/** Asks for rows of the table when memory has room for them. */
export function refillSoon(turn: ChannelTurn): void {
  const { state } = turn
  const { stored_queues } = state
  if (!stored_queues.has_wanted || stored_queues.is_read) return
  if (roomFor(state, !stored_queues.has_urgent) <= 0) makeRoom(turn)
  let room = roomFor(state, false)
  for (let parts = 0; parts < PARTS && room > 0; parts++) {
    const part = stored_queues.ask(room > reservedOf(state.max_items), OF_RECIPIENT)
    if (!part) break
    room -= part.numbers.length
  }
  if (stored_queues.is_read) turn.soon(0, { type: 'refill' })
}

/** Lets recipients out of memory that have to wait (B3). Their rows are in the table. */
function makeRoom(turn: ChannelTurn): void {
  const { state } = turn
  const { queue, stored_queues } = state
  const late = queue.waiting(turn.now.getTime() + SHORT_WAIT_MS, Math.ceil(state.max_items / 4))
  for (const { recipient, at } of late) {
    if (stored_queues.reads(recipient)) continue
    stored_queues.park(queue.takeOut(recipient), at)
    wakeAt(turn, new Date(at))
  }
}

/** Adds the rows that were read from the table, and returns their recipients. */
export function takeMore({ state, records }: ChannelTurn): string[] {
  const recipients = state.stored_queues.taken()
  for (const dispatch of records.more) {
    // In doubt since before this actor was loaded, or finished in this very turn.
    if (state.queue.find(dispatch.message_id) || records.ended.has(dispatch.message_id)) continue
    state.queue.add(dispatch)
  }
  for (const recipient of recipients) continueQueue(state, recipient)
  return recipients
}

/** Tells senders when the backlog becomes too long, and when it has room again. `max_waiting`: maximum of messages. */
export function tellFull(turn: ChannelTurn, max_waiting: number): void {
  const { state } = turn
  const most = state.is_full ? max_waiting * ROOM : max_waiting
  const is_full = state.queue.size + state.stored_queues.rows >= most
  if (is_full === state.is_full) return
  state.is_full = is_full
  turn.full(is_full)
}
