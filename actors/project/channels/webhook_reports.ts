/** Tells channels that their webhook works. */
import type { Receiver } from '../turn/feature.ts'
import { Memory } from '../turn/memory.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** Milliseconds from a call of a channel's webhook to the message to the channel. Batches calls. */
const HEARD_MS = 15_000

/** Channels whose webhook was called recently, and which have not been told yet. */
const heard = new Memory<Set<string>>(() => new Set())

/** Records that the webhooks of these channels were called. */
export function noteHeard(turn: ProjectTurn, said: { channel: { id: string } }[]): void {
  if (said.length === 0) return
  const channel_ids = heard.of(turn.state)
  for (const { channel } of said) channel_ids.add(channel.id)
  turn.soon(HEARD_MS, { type: 'tell_heard' })
}

/** To itself: tells channels that their webhook was called. */
export const tellHeard: Receiver<object> = {
  receive(turn) {
    const channel_ids = heard.of(turn.state)
    for (const channel_id of channel_ids) turn.tell(`channel/${channel_id}`, { type: 'heard' })
    channel_ids.clear()
  },
}
