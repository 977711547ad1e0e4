/**
 * The ways to close a ticket from the board. A stage that closes tickets is such a way, and then there is no other of its
 * kind: "won" is one thing. No DOM.
 */

/** @typedef {import('./desk.js').Resolution} Resolution */
/**
 * `drop` names the way among the places where a card is dropped. `stage_id`: the stage that closes.
 *
 * @typedef {{
 *   drop: string
 *   text: string
 *   action: string
 *   icon: import('../ui/icons.js').IconName
 *   resolution: Resolution
 *   stage_id?: string
 * }} Closing
 */

/** @type {Closing} */
const PLAIN = { drop: 'close', text: 'Close', action: 'Close the ticket', icon: 'check', resolution: null }
/** @type {Closing[]} */
const OTHERS = [
  { drop: 'close won', text: 'Won', action: 'Close the ticket as won', icon: 'done', resolution: 'won' },
  { drop: 'close lost', text: 'Lost', action: 'Close the ticket as lost', icon: 'close', resolution: 'lost' },
]

/**
 * @param {readonly { _id: string, name: string, rules: Record<string, unknown> }[]} stages
 * @returns {Closing[]}
 */
export function closingsOf(stages) {
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
