/**
 * Maximum milliseconds from the last byte of a mail to the server's answer. A server may pass the mail on before it answers,
 * so a client that gives up earlier makes duplicates (RFC 5321, 4.5.3.2.6).
 */
export const ANSWER_MS = 600_000

/** The time for one mail: so long until the server has it, and then as long as the answer may take. */
export class Deadline {
  readonly #expiry = new AbortController()
  readonly #answer_ms: number
  #timer: NodeJS.Timeout

  /** `sending_ms`: milliseconds until the server has the mail. `answer_ms`: from then to its answer. */
  constructor(sending_ms: number, answer_ms: number) {
    this.#answer_ms = answer_ms
    this.#timer = this.#expire(sending_ms)
  }

  get signal(): AbortSignal {
    return this.#expiry.signal
  }

  /** The server has the mail, and owes the answer. */
  awaitAnswer(): void {
    clearTimeout(this.#timer)
    this.#timer = this.#expire(this.#answer_ms)
  }

  end(): void {
    clearTimeout(this.#timer)
  }

  #expire(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#expiry.abort(new DOMException('The mail server is too slow.', 'TimeoutError')), ms)
  }
}
