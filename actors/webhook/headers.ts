import type { SignatureHeaders } from './signature.ts'

/** Set by every delivery, or by the connection itself; a subscription's own headers may not replace them. */
const RESERVED = new Set([
  'x-svc-signature',
  'x-svc-event',
  'x-svc-delivery',
  'x-svc-attempt',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
  'user-agent',
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  // Further headers of one connection, which cannot be sent (RFC 9110, 7.6.1), and one that would unlock compression.
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'accept-encoding',
])

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** Visible ASCII with blanks and tabs between: what every receiver reads alike. */
const VALUE = /^(?:[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?)?$/

const MOST_HEADERS = 50
const LONGEST_VALUE = 4_096
const REDACTED = '[redacted]'

export type HeaderViolation = {
  name: string
  code: 'reserved' | 'name' | 'value' | 'duplicate' | 'count'
  message: string
}

/** What is wrong with the headers configured on a subscription; empty when they can be sent. */
export function headerViolations(headers: Record<string, string>): HeaderViolation[] {
  const violations: HeaderViolation[] = []
  const seen = new Set<string>()
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase()
    if (!NAME.test(name)) violations.push({ name, code: 'name', message: `"${name}" is not a header name.` })
    else if (RESERVED.has(lower))
      violations.push({ name, code: 'reserved', message: `${name} is set by the service; choose another name.` })
    else if (seen.has(lower)) violations.push({ name, code: 'duplicate', message: `${name} is given twice.` })
    if (value.length > LONGEST_VALUE || !VALUE.test(value))
      violations.push({
        name,
        code: 'value',
        message: `The value of ${name} must be up to ${LONGEST_VALUE} characters of plain ASCII.`,
      })
    seen.add(lower)
  }
  if (seen.size > MOST_HEADERS)
    violations.push({ name: '', code: 'count', message: `Give at most ${MOST_HEADERS} headers.` })
  return violations
}

type Parts = { event_type: string; delivery_id: string; attempt: number; headers: Record<string, string> | null }

/** The headers of one attempt, as sent and as they may be stored: configured values are secrets as often as not. */
export function deliveryHeaders(
  parts: Parts,
  signature: SignatureHeaders,
): { sent: Record<string, string>; shown: Record<string, string> } {
  const own = {
    'User-Agent': 'Parley-Webhooks/1',
    'X-Svc-Event': parts.event_type,
    'X-Svc-Delivery': parts.delivery_id,
    'X-Svc-Attempt': String(parts.attempt),
    ...signature,
  }
  const configured = Object.entries(parts.headers ?? {}).filter(([name]) => !RESERVED.has(name.toLowerCase()))
  const is_typed = configured.some(([name]) => name.toLowerCase() === 'content-type')
  const type: Record<string, string> = is_typed ? {} : { 'content-type': 'application/json' }
  const hidden = configured.map(([name]) => [name, REDACTED])
  return {
    sent: { ...type, ...Object.fromEntries(configured), ...own },
    shown: { ...type, ...Object.fromEntries(hidden), ...own },
  }
}
