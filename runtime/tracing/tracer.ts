/**
 * The interface of the engine and the actors to traces. Where traces are off there is no tracer. A trace begins with a
 * request, whose `Cause` carries it on; spans of one trace name the span above them.
 */
import type { Cause } from './cause.ts'

export type SpanAttributes = Record<string, string | number | boolean>
export type SpanKind = 'server' | 'client' | 'producer' | 'consumer' | 'internal'

export type SpanStart = {
  /** Few different names: ids belong into attributes. */
  name: string
  kind: SpanKind
  attributes?: SpanAttributes | undefined
  /** As of `performance.now()`. Default now. */
  began?: number | undefined
}

export type SpanEnd = {
  /** The kind of failure, in few different words; undefined for success. */
  error?: string | undefined
  attributes?: SpanAttributes | undefined
  /** It is meant to last, so being slow is nothing to record. */
  may_be_slow?: boolean
}

export interface Span {
  /** The cause of all that happens below this span. */
  readonly cause: Cause
  end(end?: SpanEnd): void
}

export interface Tracer {
  /** Begins a span of work inside the cluster; undefined where the trace of the cause is not recorded. */
  inside(cause: Cause | undefined, start: SpanStart): Span | undefined
  /**
   * Begins a span of a call to the outside. It is recorded when its trace is, and also when it fails or is slow. `project_id`
   * bounds the spans of a project.
   */
  call(cause: Cause | undefined, start: SpanStart & { project_id: string }): OutsideSpan
}

export interface OutsideSpan extends Span {
  /** W3C `traceparent` for the called. */
  readonly traceparent: string
}
