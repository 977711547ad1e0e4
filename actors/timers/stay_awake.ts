/** Idle time (milliseconds) after which a new owner need not wake an actor. */
const REST_MS = 5_000

type Turn = { awake(yes: boolean): void; soon(ms: number, message: { type: 'rest' }): void }

/**
 * Has the actor woken by a new owner while it has work. The wake row is dropped a while later, by the message `rest`:
 * with occasional work it would come and go with each piece.
 */
export function stayAwake(turn: Turn, is_busy: boolean): void {
  if (is_busy) turn.awake(true)
  else turn.soon(REST_MS, { type: 'rest' })
}
