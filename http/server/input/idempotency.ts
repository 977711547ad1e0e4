import type * as uWS from 'uWebSockets.js'
import { createHash } from 'node:crypto'
import type { Violation } from '../errors/api_error.ts'

const PRINTABLE = /^[\x20-\x7e]{1,255}$/

/** The key as sent, or undefined when there is no such header. An empty key is returned too, and is an error. */
export function idempotencyKey(request: uWS.HttpRequest): string | undefined {
  const key = request.getHeader('idempotency-key')
  if (key !== '') return key
  let present = false
  request.forEach((name) => {
    if (name === 'idempotency-key') present = true
  })
  return present ? '' : undefined
}

export function keyViolations(key: string | undefined): Violation[] {
  if (key === undefined || PRINTABLE.test(key)) return []
  const message = 'must have 1 to 255 printable ASCII characters'
  return [{ path: 'Idempotency-Key', message, code: 'invalid_format' }]
}

/** Covers path, query and body: the same key on another record of the same route is a different request. */
export function requestHash(url: string, query: string, body: Uint8Array | string): string {
  return createHash('sha256').update(`${url}?${query}\n`).update(body).digest('hex')
}

/** One text for all texts of the same JSON value. Its depth is bounded (`json_scan.ts`). */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${entries.map(([name, entry]) => `${JSON.stringify(name)}:${canonical(entry)}`).join()}}`
}
