import type { Message, Price } from '../../../storage/mod.ts'
import type { Reported } from '../../broadcast/protocol.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** Reports a changed message to its broadcast. `charged`: its price, in the turn that charges it. */
export function reportToBroadcast(turn: ProjectTurn, row: Message, from: Message['status'], charged?: Price): void {
  if (!row.broadcast_id) return
  const item: Reported = {
    index: row.broadcast_index!,
    from: toRecipientStatus(from),
    to: toRecipientStatus(row.status),
    error: (row.error ?? null) as Reported['error'],
    has_message: true,
    ...(charged && { charged }),
  }
  turn.gather(`broadcast/${row.broadcast_id}`, 'statuses', item)
}

function toRecipientStatus(status: Message['status']): Reported['from'] {
  return status === 'queued' ? 'pending' : (status as Reported['from'])
}
