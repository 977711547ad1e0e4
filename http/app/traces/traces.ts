/**
 * The traces of a node. A request decides, when it first asks something of an actor, whether its trace is recorded: by
 * chance, or because a known client records its own. Failed and slow requests and calls are recorded in any case.
 */
import type { Cause, OutsideSpan, Span, SpanEnd, SpanStart, Tracer } from '../../../runtime/mod.ts'
import { SecondShares } from '../../server/limits/second_shares.ts'
import type { RequestStart, RequestTraces } from '../../server/request_traces.ts'
import type { EndedSpan } from './span_export.ts'
import { newSpanId, readTraceparent, type TraceContext, traceOf, traceparentOf } from './trace_context.ts'

/** Traces a second that are recorded by chance. A trace of a send has about twenty spans. */
const CHOSEN = { total: 50, each: 50 }
/** Traces a second that are recorded because clients record theirs. */
const CLIENTS = { total: 100, each: 20 }
/** Spans a second of calls to the outside whose traces are recorded: a broadcast is one trace with many. */
const CALLS = { total: 500, each: 200 }
/** Spans a second inside the cluster, of all traces and of each: a bulk send is one with thousands. */
const INSIDE = { total: 2000, each: 100 }
/** Spans a second of failed and slow requests and calls whose traces are not recorded. */
const TROUBLED = { total: 200, each: 50 }

type Options = {
  /** Share of the requests whose traces are recorded, from 0 to 1. */
  sample: number
  /** Milliseconds from which on a request or a call is slow. */
  slow_ms: number
  add(span: EndedSpan): void
}

export class Traces implements Tracer, RequestTraces {
  readonly #clients = new SecondShares(CLIENTS)
  readonly #calls = new SecondShares(CALLS)
  readonly #inside = new SecondShares(INSIDE)
  readonly #chosen = new SecondShares(CHOSEN)
  readonly #troubled = new SecondShares(TROUBLED)
  readonly #options: Options
  /** The request that is about to begin its span was drawn. */
  #is_drawn = false

  constructor(options: Options) {
    this.#options = options
  }

  get slow_ms(): number {
    return this.#options.slow_ms
  }

  chooses(traceparent: string): boolean {
    this.#is_drawn = Math.random() < this.#options.sample && this.#chosen.take('')
    return this.#is_drawn || traceparent !== ''
  }

  request({ request_id, traceparent, is_known, project_id, start }: RequestStart): OutsideSpan {
    const sent = is_known && traceparent !== '' ? readTraceparent(traceparent) : undefined
    const is_wanted = sent?.is_recorded === true && this.#clients.take(project_id)
    const is_recorded = is_wanted || this.#is_drawn
    this.#is_drawn = false
    const context = sent && { ...sent, is_recorded }
    return new OpenSpan(this, start, { request_id }, { context, is_recorded, project_id })
  }

  inside(cause: Cause | undefined, start: SpanStart): Span | undefined {
    const context = readTraceparent(cause?.traceparent)
    if (!context?.is_recorded || !this.#inside.take(context.trace_id)) return undefined
    return new OpenSpan(this, start, cause, { context, is_recorded: true, project_id: '' })
  }

  call(cause: Cause | undefined, { project_id, ...start }: SpanStart & { project_id: string }): OutsideSpan {
    const context = readTraceparent(cause?.traceparent)
    const is_recorded = context?.is_recorded === true && this.#calls.take(project_id)
    return new OpenSpan(this, start, cause, { context, is_recorded, project_id })
  }

  /** True when a span that has ended so is to be recorded, though its trace is not. */
  takesTroubled(error: string | undefined, ms: number, may_be_slow: boolean, project_id: string): boolean {
    const is_slow = ms >= this.#options.slow_ms && !may_be_slow
    return (error !== undefined || is_slow) && this.#troubled.take(project_id)
  }

  add(span: EndedSpan): void {
    this.#options.add(span)
  }
}

type Belonging = {
  /** Undefined where the trace is that of the request: it is worked out only when it is asked for. */
  context: TraceContext | undefined
  is_recorded: boolean
  project_id: string
}

/** A span under way. Nearly all are never recorded, so nothing is made before it is needed. */
class OpenSpan implements OutsideSpan {
  readonly cause: Cause
  readonly #traces: Traces
  readonly #start: SpanStart
  readonly #belonging: Belonging
  readonly #began: number
  #context: TraceContext | undefined
  #span_id: string | undefined

  constructor(traces: Traces, start: SpanStart, cause: Cause | undefined, belonging: Belonging) {
    this.#traces = traces
    this.#start = start
    this.#belonging = belonging
    this.#context = belonging.context
    this.#began = start.began ?? performance.now()
    const request_id = cause?.request_id
    // A trace of a client's own goes on in messages, recorded or not.
    const is_carried = belonging.is_recorded || belonging.context?.parent_id !== undefined
    this.cause = is_carried ? { request_id, traceparent: this.#traceparentOf(request_id) } : { request_id }
  }

  get traceparent(): string {
    return this.#traceparentOf(this.cause.request_id)
  }

  #traceparentOf(request_id: string | undefined): string {
    this.#context ??= traceOf({ request_id })
    this.#span_id ??= newSpanId()
    return traceparentOf(this.#context.trace_id, this.#span_id, this.#belonging.is_recorded)
  }

  end({ error, attributes, may_be_slow = false }: SpanEnd = {}): void {
    const ended = performance.now()
    const { is_recorded, project_id } = this.#belonging
    if (!is_recorded && !this.#traces.takesTroubled(error, ended - this.#began, may_be_slow, project_id)) return
    const { name, kind } = this.#start
    const { request_id } = this.cause
    this.#context ??= traceOf({ request_id })
    this.#span_id ??= newSpanId()
    this.#traces.add({
      name,
      kind,
      trace_id: this.#context.trace_id,
      span_id: this.#span_id,
      parent_id: this.#context.parent_id,
      began_at: performance.timeOrigin + this.#began,
      ended_at: performance.timeOrigin + ended,
      attributes: {
        ...this.#start.attributes,
        ...attributes,
        ...(request_id !== undefined && { 'parley.request_id': request_id }),
        ...(project_id !== '' && { 'parley.project_id': project_id }),
      },
      error,
    })
  }
}
