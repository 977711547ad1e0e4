/** The provider tells a piece of the history, or how far it has come. */
import { type HistoryImport, HistoryPart, objectId } from '../../../storage/mod.ts'
import type { InboundHistory } from '../../providers/mod.ts'
import { refuse } from '../../refuse.ts'
import { isSameAccount } from '../channels/account.ts'
import type { InboundItem } from '../turn/feature.ts'
import type { ProjectChannel, ProjectState } from '../turn/state.ts'
import { changeImport, completionOf, endPairings, historyReads, presentImport, storeImport } from './reads.ts'
import { runSoon } from './run_history_imports.ts'

/** Messages and names of a channel that may wait; what would exceed it is refused, and the provider repeats it later. */
const MAX_WAITING = 1_000_000

export const historyReceived: InboundItem<'history'> = {
  reads(reads, { channel, item }) {
    const ids = item.ends_pairing ? pairedWith(reads.state, channel) : [channel.id]
    for (const id of ids) reads.of(historyReads).channel_ids.add(id)
  },
  receive(turn, { channel, item }) {
    if (item.ends_pairing) {
      endPairings(turn, pairedWith(turn.state, channel))
      return
    }
    const present = presentImport(turn, channel.id)
    const count = item.parts.reduce((sum, part) => sum + part.count, 0)
    if (count > 0 && (present?.waiting_count ?? 0) >= MAX_WAITING) {
      throw refuse('SERVICE_UNAVAILABLE', undefined, 'Earlier messages of the history are still being stored.')
    }
    // The business may have had the history sent by another program that it is connected with.
    const asked_elsewhere = { channel_id: channel.id, status: 'running', webhooks: false, requested_at: null } as const
    const row = present ?? storeImport(turn, { _id: objectId(), ...asked_elsewhere })
    const { _id: import_id, project_id } = row
    for (const { user_id, count, content } of item.parts) {
      const size = JSON.stringify(content).length
      const part = { _id: objectId(), import_id, project_id, channel_id: channel.id, user_id, count, size, content }
      turn.insert(HistoryPart, part)
    }
    const waiting_count = row.waiting_count + count
    const changes = { ...progressOf(row, item, turn.now), waiting_count }
    changeImport(turn, row, { ...changes, ...completionOf({ ...row, ...changes }, turn.now) })
    if (count > 0) runSoon(turn)
  },
}

/** The channels of the same account. */
function pairedWith({ channels }: ProjectState, channel: ProjectChannel): string[] {
  const all = [...channels.values()].filter((one) => one.id === channel.id || isSameAccount(channel, one))
  return all.map(({ id }) => id)
}

type Progress = Pick<HistoryImport, 'status' | 'phase' | 'progress' | 'error' | 'completed_at'>

/** Calls may come in any order, so nothing goes back. */
function progressOf(row: HistoryImport, { phase, progress, error }: InboundHistory, now: Date): Partial<Progress> {
  const { status, completed_at = null } = row
  if (error) {
    const { is_declined, ...said } = error
    const is_over = status === 'completed'
    if (is_over) return { error: said }
    return { error: said, status: is_declined ? 'declined' : 'failed', completed_at: now }
  }
  const reached = {
    phase: phase === null ? (row.phase ?? null) : Math.max(phase, row.phase ?? 0),
    progress: Math.max(progress ?? 0, row.progress),
    error: row.error ?? null,
  }
  // Names come for as long as the phone is paired, and say nothing about messages.
  const is_news = phase !== null || progress !== null
  return { ...reached, status: is_news && status !== 'completed' ? 'running' : status, completed_at }
}
