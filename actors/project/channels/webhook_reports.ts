/** Tells channels that their webhook works. */
import type { Receiver } from '../turn/feature.ts'
import { Memory } from '../turn/memory.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** Milliseconds between two messages to a channel. */
const HEARD_MS = 15_000

type Told = {
  /** Time of the last message to each channel (milliseconds). */
  at: Map<string, number>
  /** Channels whose webhook was called since. */
  heard: Set<string>
}

const told = new Memory<Told>(() => ({ at: new Map(), heard: new Set() }))

/** Records that the webhooks of these channels were called. A channel hears of the first call at once. */
export function noteHeard(turn: ProjectTurn, said: { channel: { id: string } }[]): void {
  const { at, heard } = told.of(turn.state)
  const now = turn.now.getTime()
  for (const { channel } of said) {
    const last = at.get(channel.id)
    if (last === undefined || now - last >= HEARD_MS) tell(turn, channel.id)
    else heard.add(channel.id)
  }
  if (heard.size > 0) turn.soon(HEARD_MS, { type: 'tell_heard' })
}

/** To itself: tells channels that their webhook was called. */
export const tellHeard: Receiver<object> = {
  receive(turn) {
    for (const channel_id of told.of(turn.state).heard) tell(turn, channel_id)
  },
}

function tell(turn: ProjectTurn, channel_id: string): void {
  const { at, heard } = told.of(turn.state)
  heard.delete(channel_id)
  at.set(channel_id, turn.now.getTime())
  turn.tell(`channel/${channel_id}`, { type: 'heard' })
}
