/**
 * The ways to close a ticket from the board. A stage that closes tickets is such a way, and then there is no other of its
 * kind: "won" is one thing. No DOM.
 */

import type { IconName } from '../ui/pictures/icons.tsx'
import type { Resolution } from './resolution.ts'

/** `drop` names the way among the places where a card is dropped. `stage_id`: the stage that closes. */
export type Closing = {
  drop: string
  text: string
  action: string
  icon: IconName
  resolution: Resolution
  stage_id?: string
}

const PLAIN: Closing = { drop: 'close', text: 'Close', action: 'Close the ticket', icon: 'check', resolution: null }
const OTHERS: Closing[] = [
  { drop: 'close won', text: 'Won', action: 'Close the ticket as won', icon: 'done', resolution: 'won' },
  { drop: 'close lost', text: 'Lost', action: 'Close the ticket as lost', icon: 'close', resolution: 'lost' },
]

export function closingsOf(
  stages: readonly { _id: string; name: string; rules: Record<string, unknown> }[],
): Closing[] {
  const others = OTHERS.flatMap((other) => {
    const own = stages.filter(({ rules }) => rules.close_with === other.resolution)
    if (own.length === 0) return [other]
    return own.map(({ _id, name }) => ({
      ...other,
      drop: _id,
      text: name,
      action: `Close the ticket: ${name}`,
      stage_id: _id,
    }))
  })
  return [PLAIN, ...others]
}
