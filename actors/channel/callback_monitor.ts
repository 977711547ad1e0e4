/**
 * Whether a channel hears its provider. One may accept every message while its webhook calls go nowhere: no statuses, no
 * inbound messages, and nobody notices. So a channel whose provider reports every message expects to hear something after
 * it sent some.
 */

/** Fewer say nothing. */
const MESSAGES = 3

export class CallbackMonitor {
  #unheard = 0
  #since = 0

  /** The provider took a message, about which it will report. */
  accepted(at: number): void {
    if (this.#unheard === 0) this.#since = at
    this.#unheard++
  }

  /** A webhook call came. */
  heard(): void {
    this.#unheard = 0
  }

  /** Several messages went, and nothing came for `patience_ms`. */
  isDeaf(now: number, patience_ms: number): boolean {
    return this.#unheard >= MESSAGES && now - this.#since > patience_ms
  }
}

/** As shown in `status_reason`; by it a channel knows, wherever it is loaded, why it is disconnected. */
export const DEAF =
  'The provider takes messages, but none of its reports arrive: check the webhook address and its subscription there.'
