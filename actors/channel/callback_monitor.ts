/**
 * Detects a channel whose provider's webhook calls do not arrive. A provider may accept every message while its calls
 * go nowhere: statuses and inbound messages are lost silently. So a channel whose provider reports every message
 * expects some call after it has sent messages. Moments are those of `performance.now()`, because a clock may be set.
 */

/** Fewer messages prove nothing. */
const MESSAGES = 3
/** A project tells of calls every 15 seconds. */
const PATIENCE_MS = 30_000

export class CallbackMonitor {
  #unheard = 0
  #since = 0
  #has_heard: boolean

  /** `has_heard`: a call arrived before this monitor began. */
  constructor(has_heard = false) {
    this.#has_heard = has_heard
  }

  /** The provider took a message, and will report its status. */
  accepted(at: number): void {
    if (this.#unheard === 0) this.#since = at
    this.#unheard++
  }

  /** A webhook call arrived. */
  heard(): void {
    this.#unheard = 0
    this.#has_heard = true
  }

  /** Forgets that calls arrived: they no longer do. */
  silenced(): void {
    this.#has_heard = false
  }

  /**
   * True when calls arrive, so that a missing one proves something. A message that was taken a while ago without any
   * call since shows that they do not.
   */
  hears(now: number): boolean {
    return this.#has_heard && (this.#unheard === 0 || now - this.#since <= PATIENCE_MS)
  }

  /** True when several messages were sent, and no call arrived for `patience_ms`. */
  isDeaf(now: number, patience_ms: number): boolean {
    return this.#unheard >= MESSAGES && now - this.#since > patience_ms
  }
}

/** Text of `status_reason`; wherever the channel is loaded, it shows why the channel is disconnected. */
export const DEAF =
  'The provider takes messages, but none of its reports arrive: check the webhook address and its subscription there.'
