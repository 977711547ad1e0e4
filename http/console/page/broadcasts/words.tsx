/** Broadcasts in words. */
import type { BroadcastStatus, RecipientStatus } from '../records/broadcast.ts'
import type { Definitions } from '../records/definitions.ts'

const STATUS_WORDS: Record<BroadcastStatus, string> = {
  queued: 'Queued',
  sending: 'Sending',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
}

export const COUNT_WORDS: Record<RecipientStatus, string> = {
  read: 'Read',
  delivered: 'Delivered',
  sent: 'Sent',
  failed: 'Failed',
  pending: 'Pending',
}

export function statusWord(status: BroadcastStatus) {
  return STATUS_WORDS[status] ?? status
}

/** A broadcast that is sending may be paused. */
export function Badge({
  status,
  paused_reason,
}: {
  status: BroadcastStatus
  paused_reason?: string | null | undefined
}) {
  return <span class={`badge ${status}`}>{paused_reason ? 'Paused' : statusWord(status)}</span>
}

/** The names of the project's channels, by their ids; none until they are known. */
export function channelNames(definitions: Definitions | undefined): ReadonlyMap<string, string> {
  return new Map((definitions?.channels ?? []).map(({ _id, name }) => [_id, name]))
}
