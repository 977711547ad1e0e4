import type { BroadcastRecord } from '../../../storage/mod.ts'
import { emit } from '../turn/events.ts'
import type { Receiver } from '../turn/feature.ts'

/** From a broadcast: every message of it was answered. */
export const broadcastEnded: Receiver<{ record: BroadcastRecord }> = {
  receive(turn, { record }) {
    emit(turn, `messages.broadcast.${record.status}`, record, null)
  },
}
