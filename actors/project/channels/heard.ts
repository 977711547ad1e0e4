/** Channels are told that their webhook works. */
import type { Receiver } from '../turn/feature.ts'
import { Memory } from '../turn/memory.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** A channel is told this long after its webhook was called: once for many calls. */
const HEARD_MS = 15_000

/** Channels whose webhook was heard lately, and which were not told yet. */
const heard = new Memory<Set<string>>(() => new Set())

/** The webhooks of these channels were called. */
export function noteHeard(turn: ProjectTurn, said: { channel: { id: string } }[]): void {
  if (said.length === 0) return
  const channel_ids = heard.of(turn.state)
  for (const { channel } of said) channel_ids.add(channel.id)
  turn.soon(HEARD_MS, { type: 'tell_heard' })
}

/** To itself: channels whose webhook was heard are to know. */
export const tellHeard: Receiver<object> = {
  receive(turn) {
    const channel_ids = heard.of(turn.state)
    for (const channel_id of channel_ids) turn.tell(`channel/${channel_id}`, { type: 'heard' })
    channel_ids.clear()
  },
}
