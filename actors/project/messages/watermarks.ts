/**
 * Watermarks: moments up to which a person has received or read everything (S3). A watermark is stored with each
 * message that is still queued, and applied when the provider's answer is known.
 */
import { Message } from '../../../storage/mod.ts'
import type { InboundStatus } from '../../providers/mod.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { advance } from './advance.ts'
import { messageReads, watermarkKey } from './reads.ts'

/** Applies watermarks that came before the provider's answer was known here. */
export function applyWatermarks(turn: ProjectTurn, row: Message): void {
  const { watermarks } = row
  if (!watermarks) return
  for (const to of ['delivered', 'read'] as const) {
    const at = new Date(watermarks[to] ?? Number.NaN)
    if (isCovered(row, at)) advance(turn, row, { to, at })
  }
  row.watermarks = null
  turn.update(Message, { id: row.id }, { watermarks: null })
}

/**
 * Uses the provider's clock, like its watermarks. Messages from nodes of an earlier version lack that time and use our
 * own.
 */
function isCovered({ status, taken_after, created_at }: Message, watermark: Date): boolean {
  return status !== 'failed' && (taken_after ?? created_at) <= watermark
}

/** The person of `up_to` has received or read all messages up to that moment. */
export function watermarkReported(
  turn: ProjectTurn,
  channel: { id: string },
  { status, at, up_to }: InboundStatus,
): void {
  const to = status as 'delivered' | 'read'
  for (const row of turn.records.of(messageReads).unread.get(watermarkKey(channel.id, up_to!)) ?? []) {
    if (row.status !== 'queued') {
      if (isCovered(row, up_to!.at)) advance(turn, row, { to, at })
      continue
    }
    const mark = Math.max(row.watermarks?.[to] ?? 0, up_to!.at.getTime())
    if (mark === row.watermarks?.[to]) continue
    row.watermarks = { ...row.watermarks, [to]: mark }
    turn.update(Message, { id: row.id }, { watermarks: row.watermarks })
  }
}
