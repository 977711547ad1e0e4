/** The spans of a turn: one for each message or item whose trace is recorded, with the messages that it sends below. */
import type { Cause } from '../tracing/cause.ts'
import type { Span, Tracer } from '../tracing/tracer.ts'

/** Maximum spans of one turn: a turn may have thousands of sends. */
const MAX_SPANS = 64

export class TurnSpans {
  readonly #tracer: Tracer
  readonly #received: Span[] = []
  readonly #sends: Span[] = []
  #commits: Span[] = []

  constructor(tracer: Tracer) {
    this.#tracer = tracer
  }

  /** Begins the span of a message, and returns the cause of what follows from it. */
  below(cause: Cause, address: string, type: string): Cause {
    // Assigned again, perhaps by way of a row: the turn goes on with something else of the same request.
    if (this.#received.some((span) => span.cause.traceparent === cause.traceparent)) return cause
    if (this.#received.length >= MAX_SPANS) return cause
    const span = this.#tracer.inside(cause, {
      name: `turn ${kindOf(address)} ${type}`,
      kind: 'consumer',
      attributes: { 'parley.actor': address },
    })
    if (span === undefined) return cause
    this.#received.push(span)
    return span.cause
  }

  /** Begins the span of a message to another actor, and returns the cause that the message carries. */
  send(cause: Cause, address: string, type: string): Cause {
    if (this.#sends.length >= MAX_SPANS) return cause
    const span = this.#tracer.inside(cause, {
      name: `tell ${kindOf(address)} ${type}`,
      kind: 'producer',
      attributes: { 'parley.actor': address },
    })
    if (span === undefined) return cause
    this.#sends.push(span)
    return span.cause
  }

  decided(): void {
    this.#commits = this.#received.flatMap(
      ({ cause }) => this.#tracer.inside(cause, { name: 'commit', kind: 'internal' }) ?? [],
    )
  }

  /** Ends all of them. A turn that failed has sent nothing. */
  end(error?: string): void {
    if (error === undefined) for (const span of this.#sends) span.end()
    for (const span of [...this.#commits, ...this.#received]) span.end({ error })
    this.#sends.length = 0
    this.#received.length = 0
    this.#commits = []
  }
}

function kindOf(address: string): string {
  return address.slice(0, address.indexOf('/'))
}
