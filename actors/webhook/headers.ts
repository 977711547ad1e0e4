import { isRequestId } from '../../runtime/mod.ts'
import type { SignatureHeaders } from './signature.ts'

/** Set by every delivery, or by the connection itself; a subscription's own headers may not replace them. */
const RESERVED = new Set([
  'content-encoding',
  'content-length',
  'content-type',
  'user-agent',
  'webhook-id',
  'webhook-signature',
  'webhook-timestamp',
  'host',
  'connection',
  'transfer-encoding',
  // Further hop-by-hop headers, which cannot be sent (RFC 9110, 7.6.1), and one that would enable compression.
  'accept-encoding',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
])
const RESERVED_PREFIXES = ['x-svc-', 'proxy-']

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/
/** Visible ASCII with blanks and tabs between, which all receivers parse alike. */
const VALUE = /^(?:[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?)?$/

const REQUEST_ID = 'X-Request-Id'

const MAX_HEADERS = 50
const MAX_VALUE_LENGTH = 4_096
const REDACTED = '[redacted]'

export type HeaderViolation = {
  /** Empty when it concerns all headers. */
  name: string
  code: 'reserved' | 'name' | 'value' | 'duplicate' | 'count'
  /** Continues the name: "Host may not be set …". */
  message: string
}

/** Violations of the headers configured on a subscription; empty when they can be sent. */
export function headerViolations(headers: Record<string, string>): HeaderViolation[] {
  const all = Object.entries(headers)
  if (all.length > MAX_HEADERS)
    return [{ name: '', code: 'count', message: `must have at most ${MAX_HEADERS} entries` }]
  const violations: HeaderViolation[] = []
  const seen = new Set<string>()
  for (const [name, value] of all) {
    const wrong = nameProblem(name, seen)
    if (wrong) violations.push({ name, ...wrong })
    if (value.length > MAX_VALUE_LENGTH || !VALUE.test(value))
      violations.push({ name, code: 'value', message: VALUE_RULE })
    seen.add(name.toLowerCase())
  }
  return violations
}

const VALUE_RULE = `must be at most ${MAX_VALUE_LENGTH} characters of printable ASCII, without line breaks or blanks around it`

function nameProblem(name: string, seen: Set<string>): Pick<HeaderViolation, 'code' | 'message'> | undefined {
  if (!NAME.test(name)) {
    return { code: 'name', message: 'is not a header name: letters, digits and hyphens, at most 128' }
  }
  if (isReserved(name)) return { code: 'reserved', message: 'may not be set: the request sets it itself' }
  if (seen.has(name.toLowerCase())) {
    return { code: 'duplicate', message: 'is given twice; header names do not differ by case' }
  }
  return undefined
}

function isReserved(name: string): boolean {
  const lower = name.toLowerCase()
  return RESERVED.has(lower) || RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix))
}

type Parts = {
  event_type: string
  delivery_id: string
  request_id?: string | null | undefined
  traceparent?: string | undefined
  attempt: number
  headers: Record<string, string> | null
  content_type?: string | undefined
}

/** The headers of one attempt, as sent and as they may be stored: configured values are often secrets. */
export function deliveryHeaders(
  parts: Parts,
  signature: SignatureHeaders,
): { sent: Record<string, string>; visible: Record<string, string> } {
  const own: Record<string, string> = {
    'content-type': parts.content_type ?? 'application/json',
    'User-Agent': 'Parley-Webhooks/1',
    'X-Svc-Event': parts.event_type,
    'X-Svc-Delivery': parts.delivery_id,
    'X-Svc-Attempt': String(parts.attempt),
    ...signature,
  }
  const configured = Object.entries(parts.headers ?? {}).filter(([name]) => !isReserved(name))
  const { request_id, traceparent } = parts
  // A subscription that sets one of these itself keeps its own.
  const isTaken = (header: string) => configured.some(([name]) => name.toLowerCase() === header.toLowerCase())
  if (request_id && isRequestId(request_id) && !isTaken(REQUEST_ID)) own[REQUEST_ID] = request_id
  if (traceparent !== undefined && !isTaken('traceparent')) own.traceparent = traceparent
  const hidden = configured.map(([name]) => [name, REDACTED])
  return {
    sent: { ...Object.fromEntries(configured), ...own },
    visible: { ...Object.fromEntries(hidden), ...own },
  }
}
