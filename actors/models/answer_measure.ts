/**
 * Measures an answer before the library for the protocol reads it. The library takes a second for a hundred thousand values, and the
 * square of their number for parts of calls, all at once: half a minute for an answer of 1.7 MB.
 */

/** Bytes of an event: the whole answer may be in one. */
const MAX_EVENT_BYTES = 128 * 1024
/** Lines of a stream for each token, and beside them. An event has two or three, and a token at most one event. */
const LINES = { of_token: 6, others: 2_048 }
/** Signs of structure for each token of an event or of a whole answer, and beside them. */
const SIGNS = { of_token: 2, others: 1_024 }

const [LF, CR] = [10, 13]

export class AnswerMeasure {
  readonly #max_lines: number
  readonly #max_signs: number
  readonly #form: 'whole' | 'stream'
  #lines = 0
  #signs = 0
  #event_bytes = 0
  #line_bytes = 0
  #last = 0

  constructor(max_output_tokens: number, form: 'whole' | 'stream') {
    this.#form = form
    this.#max_lines = LINES.others + LINES.of_token * max_output_tokens
    this.#max_signs = SIGNS.others + SIGNS.of_token * max_output_tokens
  }

  /** False once the answer has more than one of so many tokens. */
  take(bytes: Uint8Array): boolean {
    for (const byte of bytes) {
      // Comma, bracket and brace.
      if (byte === 44 || byte === 91 || byte === 123) this.#signs++
      if (this.#form === 'stream') this.#follow(byte)
      if (this.#signs > this.#max_signs) return false
    }
    return this.#lines <= this.#max_lines && this.#event_bytes <= MAX_EVENT_BYTES
  }

  /** An empty line ends an event. */
  #follow(byte: number): void {
    const is_end = byte === CR || (byte === LF && this.#last !== CR)
    const is_sign = byte !== CR && byte !== LF
    this.#last = byte
    if (is_sign) {
      this.#event_bytes++
      this.#line_bytes++
    }
    if (!is_end) return
    if (this.#line_bytes === 0) {
      this.#event_bytes = 0
      this.#signs = 0
    }
    this.#line_bytes = 0
    this.#lines++
  }
}
