/** The traces of requests, where they are on. */
import type { Span, SpanStart } from '../../runtime/mod.ts'

export type RequestStart = {
  request_id: string
  /** As the client sent it; empty without one. It counts only from a caller who is known. */
  traceparent: string
  is_known: boolean
  /** Empty for callers without a project. */
  project_id: string
  start: SpanStart
}

export interface RequestTraces {
  /** Milliseconds from which on a request is slow. */
  readonly slow_ms: number
  /** True when a trace of the request may be recorded or carried on. Called once for each request that asks an actor. */
  chooses(traceparent: string): boolean
  /**
   * Begins the span of a request: of one that was chosen, or of one that has ended, and was slow or failed. A client's
   * own trace counts only from a known caller.
   */
  request(start: RequestStart): Span
}
