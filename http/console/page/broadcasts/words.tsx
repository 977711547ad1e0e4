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

export function Badge({ status }: { status: BroadcastStatus }) {
  return <span class={`badge ${status}`}>{statusWord(status)}</span>
}

/** The names of the project's channels, by their ids; none until they are known. */
export function channelNames(definitions: Definitions | undefined): ReadonlyMap<string, string> {
  return new Map((definitions?.channels ?? []).map(({ _id, name }) => [_id, name]))
}
