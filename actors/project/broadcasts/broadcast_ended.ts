import type { BroadcastRecord } from '../../../storage/mod.ts'
import { emit } from '../turn/events.ts'
import type { Receiver } from '../turn/feature.ts'

/** From a broadcast: all its messages have their final answer. */
export const broadcastEnded: Receiver<{ record: BroadcastRecord }> = {
  receive(turn, { record }) {
    emit(turn, `messages.broadcast.${record.status}`, record, null)
  },
}
