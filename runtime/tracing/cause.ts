/**
 * The request from which a message came. Every message between actors may carry it as its field `cause`, through
 * memory, the outbox and the transport alike: no context is kept beside the messages.
 */
export type Cause = {
  /** The `X-Request-Id` of a client's call, or of a provider's callback. */
  request_id?: string | undefined
  /** W3C trace context of the span above: only where traces are on, and the request's trace is recorded. */
  traceparent?: string | undefined
}

/**
 * The JSON of a message or of an item, with its cause. One that names a cause keeps it: it was passed on. One that names
 * `undefined` is known to have none, so it gets none. `message` has at least one field of another name.
 */
export function jsonWith(message: object & { cause?: Cause | undefined }, cause: Cause | undefined): string {
  const json = JSON.stringify(message)
  if (cause === undefined || 'cause' in message) return json
  return `${json.slice(0, -1)},"cause":${JSON.stringify(cause)}}`
}

/** The cause that columns of a row keep; undefined where they have none. */
export function causeOf({
  request_id,
  traceparent,
}: {
  request_id?: string | null | undefined
  traceparent?: string | null | undefined
}): Cause | undefined {
  if (request_id == null && traceparent == null) return undefined
  return { request_id: request_id ?? undefined, traceparent: traceparent ?? undefined }
}

/** The columns in which a row keeps a cause. */
export function causeColumns(cause: Cause | undefined): { request_id: string | null; traceparent: string | null } {
  return { request_id: cause?.request_id ?? null, traceparent: cause?.traceparent ?? null }
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

/** True for a text that may be the id of a request: such a text needs no escape in headers, logs and addresses. */
export function isRequestId(text: string): boolean {
  return REQUEST_ID.test(text)
}
