/** Tells channels that their webhook works. */
import type { Receiver } from '../turn/feature.ts'
import { Memory } from '../turn/memory.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** Milliseconds between two messages to a channel. */
const HEARD_MS = 15_000

type Heard = {
  /** Channels that have been told since the last round. */
  channels: Set<string>
  /** Those of them whose webhook was called again. */
  again: Set<string>
}

const heard = new Memory<Heard>(() => ({ channels: new Set(), again: new Set() }))

/** Records that the webhooks of these channels were called. A channel hears of the first call at once. */
export function noteHeard(turn: ProjectTurn, said: { channel: { id: string } }[]): void {
  const { channels, again } = heard.of(turn.state)
  for (const { channel } of said) {
    if (channels.has(channel.id)) again.add(channel.id)
    else tell(turn, channel.id)
  }
}

/** To itself: the next round. */
export const tellHeard: Receiver<object> = {
  receive(turn) {
    const { channels, again } = heard.of(turn.state)
    const channel_ids = [...again]
    channels.clear()
    again.clear()
    for (const channel_id of channel_ids) tell(turn, channel_id)
  },
}

function tell(turn: ProjectTurn, channel_id: string): void {
  heard.of(turn.state).channels.add(channel_id)
  turn.tell(`channel/${channel_id}`, { type: 'heard' })
  turn.soon(HEARD_MS, { type: 'tell_heard' })
}
