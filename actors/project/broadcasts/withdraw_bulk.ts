import type { Receiver } from '../turn/feature.ts'

/**
 * From a cancelled broadcast: withdraw the messages that are not being sent yet. Arrives after the slices of these
 * messages.
 */
export const withdrawBulk: Receiver<{ channel_id: string; message_ids: string[] }> = {
  receive(turn, { channel_id, message_ids }) {
    turn.tell(`channel/${channel_id}`, { type: 'withdraw', message_ids })
  },
}
