import type { Message } from '../../../storage/mod.ts'
import type { Reported } from '../../broadcast/protocol.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** Reports a changed message to its broadcast. */
export function reportToBroadcast(turn: ProjectTurn, row: Message, from: Message['status']): void {
  if (!row.broadcast_id) return
  const item: Reported = {
    index: row.broadcast_index!,
    from: toRecipientStatus(from),
    to: toRecipientStatus(row.status),
    error: (row.error ?? null) as Reported['error'],
    has_message: true,
  }
  turn.gather(`broadcast/${row.broadcast_id}`, 'statuses', item)
}

function toRecipientStatus(status: Message['status']): Reported['from'] {
  return status === 'queued' ? 'pending' : (status as Reported['from'])
}
