import type { Receiver } from '../turn/feature.ts'

/** From a broadcast that was cancelled: what has not begun to leave is called back. It comes after the slices that it is about. */
export const withdrawBulk: Receiver<{ channel_id: string; message_ids: string[] }> = {
  receive(turn, { channel_id, message_ids }) {
    turn.tell(`channel/${channel_id}`, { type: 'withdraw', message_ids })
  },
}
