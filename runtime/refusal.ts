/**
 * Errors that tell the caller what to do next. The class decides; the text is for people.
 *
 * - `Refusal`     the domain said no: tell the caller, change nothing, do not retry.
 * - `Unavailable` not now: retry after `retry_after_s`; nothing was changed, or an idempotency key will find it.
 * - `Moved`       asked at the wrong node: ask the current owner (never leaves the runtime).
 *
 * Any other error thrown in a turn is a fault: the turn is undone, retried alone, and at last parked.
 */
export class Refusal extends Error {
  readonly code: string
  readonly details: Record<string, unknown> | undefined

  /** `code` is a key of the error catalogue; `message` replaces the catalogue's text. */
  constructor(code: string, options: { message?: string; details?: Record<string, unknown> } = {}) {
    super(options.message ?? code)
    this.name = 'Refusal'
    this.code = code
    this.details = options.details
  }

  /** The message when the thrower chose one, else undefined: the catalogue's text then applies. */
  get text(): string | undefined {
    return this.message === this.code ? undefined : this.message
  }
}

export class Unavailable extends Error {
  readonly retry_after_s: number

  constructor(message = 'The service cannot take this now.', retry_after_s = 1) {
    super(message)
    this.name = 'Unavailable'
    this.retry_after_s = retry_after_s
  }
}

export class Moved extends Error {
  constructor() {
    super('the partition moved to another node')
    this.name = 'Moved'
  }
}
