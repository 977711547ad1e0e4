/**
 * The broadcast actor: one per bulk send. It takes its recipients up in slices, has the project create their messages,
 * and counts the outcomes. The project creates the row; afterwards only this actor writes it, and its recipients.
 *
 *  B1 Every recipient is in exactly one of five counts. A turn moves recipients from one to another and writes their
 *  rows and the counts together, so the counts add up to `total` at any moment, whatever crashes; the table checks it.
 *  B2 The project reports the statuses of messages, once per real change, in the commit that makes it. So a recipient's
 *  status is its message's, a moment later.
 *  B3 The row alone determines the work under way (`send_window.ts`), and every step follows from a durable message:
 *  the project took a slice, or a message was answered. A broadcast that waits for others is woken at its next owner.
 *  No step is done twice.
 *  B4 Message ids are made here, before the project gets them, so a cancellation can name a message that has not been
 *  reported yet.
 *  B5 A broadcast waits while the cap on marketing leaves no room: the project takes the first recipients of a slice, and
 *  the others count as not taken up again. A slice is kept until the project has taken all of it.
 */
import { type ActorKind, causeOf, defineActor, type MessageOf } from '../../runtime/mod.ts'
import {
  AuditEntry,
  auditEntry,
  Broadcast,
  BroadcastRecipient,
  BroadcastSlice,
  type Database,
  readRows,
} from '../../storage/mod.ts'
import { tellSettled } from '../data_rights/mod.ts'
import type { Foreground } from '../foreground.ts'
import { nextBroadcastStatus } from '../machines/mod.ts'
import { toBroadcastRecord } from '../records/mod.ts'
import { refuse } from '../refuse.ts'
import { ActiveBroadcasts } from './active_broadcasts.ts'
import { BulkQueue } from './bulk_queue.ts'
import { BulkRate } from './bulk_rate.ts'
import type { BroadcastProtocol } from './protocol.ts'
import { dropSlice, end, move, pause, putBack, takeUp } from './row_changes.ts'
import { MIN, MODEST_SLICE, nextSlice, room, shareOf } from './send_window.ts'
import { type BroadcastState, type BroadcastTurn, fresh, type Records } from './state.ts'

/** Minimum time between two events about one broadcast (milliseconds). */
const SHOWN_MS = 200

const ENDS = ['completed', 'failed'] as const

export type BroadcastOptions = {
  database: Database
  /** Shared with the projects of this node. */
  foreground: Foreground
  /** For metrics. */
  bulk_rate?: BulkRate
}

export function broadcastActor({
  database,
  foreground,
  bulk_rate = new BulkRate(),
}: BroadcastOptions): ActorKind<BroadcastProtocol, BroadcastState, Records> {
  const active_broadcasts = new ActiveBroadcasts()
  const bulk_queue = new BulkQueue()

  /** Takes up recipients as far as there is room, finishes when all are done, and writes the row. */
  function proceed(turn: BroadcastTurn, row: Broadcast): void {
    const { slice } = turn.records
    turn.cause = causeOf(row)
    const size = sizeNow(turn, row)
    if (size > 0 && slice && slice.first === nextSlice(row)) takeUp(turn, row, slice, size)
    // Watchers that receive events out of order sort by this time, whatever the clocks of two owners show.
    row.updated_at = new Date(Math.max(turn.now.getTime(), row.updated_at.getTime() + 1))
    if (row.pending_count === 0 && row.completed_at == null) end(turn, row)
    const { id, ...fields } = row
    turn.update(Broadcast, { id }, fields)
    turn.awake(row.status === 'sending' && row.taken_up < row.total)
    showSoon(turn, row)
  }

  /** Number of recipients to take up now. Schedules a retry when the broadcast has to wait for other work. */
  function sizeNow(turn: BroadcastTurn, row: Broadcast): number {
    const { state } = turn
    const moment = performance.now()
    const paused_ms = state.retry_at - moment
    if (paused_ms > 0) {
      if (row.status === 'sending') turn.soon(Math.ceil(paused_ms), { type: 'go_on' })
      return 0
    }
    const share = shareNow(turn, row)
    const per_second = bulk_rate.at(moment, foreground)
    const is_busy = foreground.isBusy(moment)
    // A paused one tries with a single recipient.
    const size = room(row, row.paused_reason ? 1 : is_busy ? MODEST_SLICE : share)
    const wait_ms = is_busy && size > 0 ? bulk_queue.ask(row.id, row.project_id, size, per_second, moment) : 0
    if (wait_ms > 0) {
      turn.soon(Math.ceil(wait_ms), { type: 'go_on' })
      return 0
    }
    bulk_queue.leave(row.id)
    bulk_rate.taken(size)
    return size
  }

  function shareNow({ state }: BroadcastTurn, { id, status, taken_up, total }: Broadcast): number {
    if (status === 'sending' && taken_up < total) {
      return shareOf(Math.max(state.together, active_broadcasts.join(id, performance.now())), state.pace.per_second)
    }
    active_broadcasts.leave(id)
    return MIN
  }

  return defineActor<BroadcastProtocol, BroadcastState, Records>({
    kind: 'broadcast',
    async load(ids, database) {
      const rows = await readRows(database, Broadcast, { id: ids })
      return new Map(rows.map((row) => [row.id, fresh(row)]))
    },
    create: () => fresh(null),
    // The rows that are read are written by this actor alone.
    early: { slice_taken: [], statuses: [] },
    // The slices that were read are those before the erasure.
    alone: ['erase'],

    async read(messages, { key, state }) {
      const { row } = state
      if (!row) return { slice: null, pending: [] }
      const is_cancelled = messages.some(({ type }) => type === 'cancel')
      const [slices, waiting] = await Promise.all([
        mayTakeUp(row, messages)
          ? readRows(database, BroadcastSlice, { broadcast_id: key, first: String(nextSlice(row)) })
          : [],
        is_cancelled ? readRows(database, BroadcastRecipient, { broadcast_id: key, status: 'pending' }) : [],
      ])
      return { slice: slices[0] ?? null, pending: waiting.flatMap(({ message_id }) => message_id ?? []) }
    },

    receive: {
      begin(turn) {
        const { row } = turn.state
        const status = row && nextBroadcastStatus(row.status, 'begun')
        if (!row || status === row.status) return
        Object.assign(row, { status, started_at: turn.now })
        proceed(turn, row)
      },

      slice_taken(turn, { count, together, held = 0 }) {
        const { row } = turn.state
        if (!row) return
        row.handed_on += count
        turn.state.together = together
        if (held > 0) putBack(turn, row, held)
        else dropSlice(turn, row)
        pause(turn, row, held > 0)
        proceed(turn, row)
      },

      statuses(turn, { items }) {
        const { row } = turn.state
        if (!row) return
        for (const item of items) move(turn, row, item)
        const answered = items.filter(({ from }) => from === 'pending').length
        turn.state.pace.note(answered, performance.now())
        proceed(turn, row)
      },

      resume(turn) {
        const { row } = turn.state
        turn.state.retry_at = 0
        if (row?.paused_reason) proceed(turn, row)
      },

      go_on(turn) {
        if (turn.state.row) proceed(turn, turn.state.row)
      },

      wake(turn) {
        if (turn.state.row) proceed(turn, turn.state.row)
      },

      show(turn) {
        if (turn.state.row) show(turn, turn.state.row)
      },

      /** The answer comes behind the slices that were read before they were changed. */
      erase(turn, { all, ...ask }) {
        tellSettled(turn, ask)
        if (!all) return
        turn.state.row = null
        turn.awake(false)
      },

      cancel(turn, { project_id, origin }) {
        const { row } = turn.state
        if (row?.project_id !== project_id) throw refuse('BROADCAST_NOT_FOUND')
        if (ENDS.some((status) => status === row.status)) throw refuse('BROADCAST_FINISHED', { status: row.status })
        const status = nextBroadcastStatus(row.status, 'cancelled')
        if (status === row.status) return toBroadcastRecord(row)
        const target = { target_kind: 'broadcast', target_id: row.id, company_id: row.company_id, project_id }
        const entry = origin && auditEntry(origin, { ...target, before: { status: row.status }, after: { status } })
        if (entry) turn.insert(AuditEntry, entry)
        const { pending } = turn.records
        if (pending.length > 0) {
          const { channel_id } = row
          turn.tell(`project/${project_id}`, { type: 'withdraw_bulk', channel_id, message_ids: pending })
        }
        // Their slices stay unchanged, and are shown as failed from now on.
        const left = row.total - row.taken_up
        row.pending_count -= left
        row.failed_count += left
        row.status = status
        row.paused_reason = null
        proceed(turn, row)
        return toBroadcastRecord(row)
      },
    },
  })
}

/** Publishes to the project's consoles: a new status at once, counts as often as people can follow. */
function showSoon(turn: BroadcastTurn, row: Broadcast): void {
  if (!turn.isWatched(row.project_id)) return
  const { display } = turn.state
  const wait_ms = display?.status === statusOf(row) ? display.at + SHOWN_MS - performance.now() : 0
  if (wait_ms <= 0) show(turn, row)
  else turn.soon(Math.ceil(wait_ms), { type: 'show' })
}

function show(turn: BroadcastTurn, row: Broadcast): void {
  turn.state.display = { status: statusOf(row), at: performance.now() }
  turn.live(row.project_id, () => ({ type: 'broadcast.progress', data: toBroadcastRecord(row) }))
}

function statusOf({ status, paused_reason }: Broadcast): string {
  return paused_reason ?? status
}

/** True when there is room for the smallest share after these messages. */
function mayTakeUp(row: Broadcast, messages: MessageOf<BroadcastProtocol>[]): boolean {
  // Showing counts takes no recipients up.
  if (messages.every(({ type }) => type === 'show' || type === 'erase')) return false
  const after = { ...row }
  for (const message of messages) {
    if (message.type === 'begin') after.status = nextBroadcastStatus(after.status, 'begun')
    else if (message.type === 'slice_taken') after.handed_on += message.count
    else if (message.type === 'statuses') {
      for (const { from } of message.items) if (from === 'pending') after.pending_count--
    }
  }
  return room(after, MIN) > 0
}
