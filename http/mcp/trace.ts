/** The W3C trace context of a call, which a client sends in `_meta`. */
import { randomBytes } from 'node:crypto'

const TRACEPARENT = /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/

export type Trace = {
  /** Id of the operation's request: in the log, in the audit and in `X-Request-Id`. */
  request_id: string | undefined
  /** The context of our own span, below the client's. */
  traceparent: string | undefined
}

/** Continues the client's trace. A malformed context is ignored, as the standard demands. */
export function continueTrace(meta: Readonly<Record<string, unknown>> | undefined): Trace {
  const sent = meta?.traceparent
  const [, trace_id, , flags] = (typeof sent === 'string' && TRACEPARENT.exec(sent)) || []
  if (trace_id === undefined) return { request_id: undefined, traceparent: undefined }
  const span_id = randomBytes(8).toString('hex')
  return { request_id: `${trace_id}-${span_id}`, traceparent: `00-${trace_id}-${span_id}-${flags}` }
}
