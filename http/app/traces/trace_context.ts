/** Trace contexts of the W3C, version 00 (https://www.w3.org/TR/trace-context/). */
import { createHash, randomBytes } from 'node:crypto'
import type { Cause } from '../../../runtime/mod.ts'

const TRACEPARENT = /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/

export type TraceContext = {
  /** 32 hexadecimal digits. */
  trace_id: string
  /** The span above, 16 hexadecimal digits; undefined at the root of a trace. */
  parent_id: string | undefined
  /** The trace is recorded. */
  is_recorded: boolean
}

/** Undefined for a malformed context, which the standard has us ignore, and for other versions. */
export function readTraceparent(text: string | undefined): TraceContext | undefined {
  const [, trace_id, parent_id, flags] = (text !== undefined && TRACEPARENT.exec(text)) || []
  if (trace_id === undefined) return undefined
  return { trace_id, parent_id, is_recorded: (Number.parseInt(flags!, 16) & 1) === 1 }
}

export function traceparentOf(trace_id: string, span_id: string, is_recorded: boolean): string {
  return `00-${trace_id}-${span_id}-${is_recorded ? '01' : '00'}`
}

/**
 * The trace of a cause. One that brings no trace has that of its request: nothing is carried for it, and yet all spans
 * that are recorded for the request belong to one trace.
 */
export function traceOf(cause: Cause | undefined): TraceContext {
  const sent = readTraceparent(cause?.traceparent)
  if (sent !== undefined) return sent
  const request_id = cause?.request_id
  const trace_id =
    request_id === undefined
      ? randomBytes(16).toString('hex')
      : createHash('sha256').update(request_id).digest('hex').slice(0, 32)
  return { trace_id, parent_id: undefined, is_recorded: false }
}

export function newSpanId(): string {
  return randomBytes(8).toString('hex')
}
