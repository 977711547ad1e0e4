/** The changes that the answers of the project make in the row of a broadcast and in those of its recipients. */
import { type Broadcast, BroadcastRecipient, BroadcastSlice, type Price, prefixedId, SLICE } from '../../storage/mod.ts'
import { fromMillionths, toMillionths } from '../costs/mod.ts'
import { nextBroadcastStatus } from '../machines/mod.ts'
import { toBroadcastRecord } from '../records/mod.ts'
import type { BulkSlice, Reported } from './protocol.ts'
import type { BroadcastTurn } from './state.ts'

/** Time between two tries of a paused broadcast: the month may be over, or failed messages may have made room. */
const PAUSED_RETRY_MS = 60_000

export function move(
  turn: BroadcastTurn,
  row: Broadcast,
  { index, from, to, error, has_message, charged }: Reported,
): void {
  if (charged) addCost(row, charged)
  if (from === to) return
  row[`${from}_count`]--
  row[`${to}_count`]++
  turn.update(
    BroadcastRecipient,
    { broadcast_id: row.id, index },
    { status: to, updated_at: turn.now, ...(error && { error }), ...(!has_message && { message_id: null }) },
  )
}

export function takeUp(turn: BroadcastTurn, row: Broadcast, slice: BroadcastSlice, size: number): void {
  const offset = row.taken_up - slice.first
  const { id: broadcast_id, channel_id, template_name, language } = row
  const recipients = slice.recipients.slice(offset, offset + size).map(({ phone, variables = {}, error }, place) => {
    const index = row.taken_up + place
    const message_id = prefixedId('msg')
    const fields = { phone, status: 'pending' as const, message_id, error: null, updated_at: turn.now }
    turn.insert(BroadcastRecipient, { broadcast_id, index, ...fields })
    turn.records.pending.push(message_id)
    return { index, message_id, phone, variables, error }
  })
  row.taken_up += recipients.length
  const bulk_slice: BulkSlice = { broadcast_id, channel_id, template_name, language, recipients }
  turn.tell(`project/${row.project_id}`, { type: 'bulk_slice', ...bulk_slice })
}

/** Removes a slice whose last recipients the project has taken. */
export function dropSlice(turn: BroadcastTurn, { id: broadcast_id, handed_on, taken_up, total }: Broadcast): void {
  if (handed_on !== taken_up || (taken_up % SLICE !== 0 && taken_up !== total)) return
  turn.remove(BroadcastSlice, { broadcast_id, first: Math.floor((taken_up - 1) / SLICE) * SLICE })
}

/** The last `held` recipients count as not taken up again. Those of a cancelled broadcast have failed. */
export function putBack(turn: BroadcastTurn, row: Broadcast, held: number): void {
  for (let index = row.taken_up - held; index < row.taken_up; index++) {
    turn.remove(BroadcastRecipient, { broadcast_id: row.id, index })
  }
  row.taken_up -= held
  if (row.status !== 'cancelled') return
  row.pending_count -= held
  row.failed_count += held
}

/** The project is told of each change, for its event. */
export function pause(turn: BroadcastTurn, row: Broadcast, is_held: boolean): void {
  if (is_held) turn.state.retry_at = performance.now() + PAUSED_RETRY_MS
  const paused_reason = is_held && row.status === 'sending' ? 'marketing_cap_reached' : null
  if (paused_reason === (row.paused_reason ?? null)) return
  row.paused_reason = paused_reason
  if (row.status !== 'sending') return
  turn.tell(`project/${row.project_id}`, { type: 'broadcast_paused', record: toBroadcastRecord(row) })
}

/** The first currency counts: the rates have one at a time. */
function addCost(row: Broadcast, { amount, currency }: Price): void {
  if (amount === null || (row.cost_currency ?? currency) !== currency) return
  row.cost = fromMillionths(toMillionths(row.cost ?? 0) + toMillionths(amount))
  row.cost_currency = currency
}

export function end(turn: BroadcastTurn, row: Broadcast): void {
  const has_failed = row.failed_count === row.total
  row.completed_at = turn.now
  const status = nextBroadcastStatus(row.status, has_failed ? 'all_failed' : 'all_answered')
  if (status === row.status) return
  row.status = status
  turn.tell(`project/${row.project_id}`, { type: 'broadcast_ended', record: toBroadcastRecord(row) })
}
