/** Turns the arguments of a tool into a request of its operation, and the answer into a result. */
import { randomBytes } from 'node:crypto'
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Violation } from '../../server/errors/api_error.ts'
import { parseJson } from '../../server/parse/json.ts'
import type { InnerAnswer, InnerRequest } from '../../server/route/route.ts'
import { isBase64 } from '../../server/schema/base64.ts'
import type { Trace } from '../trace.ts'
import type { OperationTool } from './catalogue.ts'
import { type Arguments, isOwnArgument } from './input_schema.ts'

export type Sent = Readonly<Record<string, unknown>>

/** An argument of which no request can be made. `path` is dotted. */
export class WrongArgument extends Error {
  override name = 'WrongArgument'
  readonly violation: Violation
  constructor(
    path: string,
    message: string,
    code: 'required' | 'invalid_type' | 'invalid_format' | 'unknown_property' | 'inexact_number',
  ) {
    super(`${path} ${message}`)
    this.violation = { path, message, code }
  }
}

/** A text longer than this in an answer that is not JSON is cut. */
const MAX_TEXT_LENGTH = 256 * 1024

/**
 * The request of the operation. `key` is its idempotency key when the client gives none. Arguments that the operation
 * does not know go into its body, where the route refuses them by name. Without a body they are refused here: the route
 * would advise the parameters of its query alone, and arguments of the path are beside them.
 * @throws {WrongArgument}
 */
export function requestOf(
  tool: OperationTool,
  sent: Sent,
  { request_id, traceparent }: Trace,
  key?: string,
): InnerRequest {
  const { places, route, takes_key } = tool
  const params: Record<string, string> = {}
  const query = new URLSearchParams()
  const pairs: [name: string, value: unknown][] = []
  for (const [name, value] of Object.entries(sent)) {
    if (isOwnArgument(places, name)) continue
    if (places.path.includes(name)) params[name] = textOf(name, value)
    else if (places.query.includes(name)) {
      if (value !== null && value !== undefined) query.set(name, textOf(name, value))
    } else if (places.body === 'none') throw new WrongArgument(name, unknownAmong(places), 'unknown_property')
    else pairs.push([name, places.no_texts.includes(name) ? readText(name, value) : value])
  }
  for (const name of places.path) if (!params[name]) throw new WrongArgument(name, 'is required', 'required')
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name]!))
  const headers: Record<string, string> = traceparent === undefined ? {} : { traceparent }
  // A confirmation takes effect once, whatever the method.
  const own_key = (takes_key && !places.has_key_field ? sent.idempotency_key : undefined) ?? key
  if (own_key !== undefined) headers['idempotency-key'] = textOf('idempotency_key', own_key)
  const request = { path, params, query: query.toString(), headers, request_id }
  if (places.body === 'none') return request
  // A name such as `__proto__` stays a field of its own, which the route refuses.
  const fields = Object.fromEntries(pairs)
  if (places.body === 'form') return { ...request, ...formOf(fields, headers) }
  const body = Buffer.from(JSON.stringify(places.body === 'whole' ? fields.body : fields) ?? '')
  return { ...request, body, headers: { ...headers, 'content-type': 'application/json' } }
}

/** Models often send an object as the text of its JSON. */
function readText(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  const parsed = parseJson(Buffer.from(`{"value":${value}}`))
  if ('value' in parsed) {
    const entries = Object.entries(parsed.value as object)
    // Another text than that of one value, such as `1,"more":2`, is none.
    return entries.length === 1 && typeof entries[0]![1] !== 'string' ? entries[0]![1] : value
  }
  const inexact = parsed.violations.find(({ code }) => code === 'inexact_number')
  if (inexact === undefined) return value
  throw new WrongArgument(`${name}${inexact.path.slice('value'.length)}`, inexact.message, 'inexact_number')
}

function unknownAmong({ path, query }: Arguments): string {
  const known = [...path, ...query]
  return `is not known here; ${known.length > 0 ? `the parameters are ${known.join(', ')}` : 'there are no parameters'}`
}

/** Line breaks would end a header; other control characters are refused by the route. */
function textOf(name: string, value: unknown): string {
  if (typeof value === 'string') {
    if (/[\r\n\0]/.test(value)) throw new WrongArgument(name, 'must be one line', 'invalid_format')
    return value
  }
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new WrongArgument(name, 'must be a text, a number or true or false', 'invalid_type')
}

/** A form as browsers send it (RFC 7578). */
function formOf(
  fields: Record<string, unknown>,
  headers: Record<string, string>,
): Pick<InnerRequest, 'body' | 'headers'> {
  const boundary = randomBytes(18).toString('hex')
  const pieces: (string | Buffer)[] = []
  for (const [name, value] of Object.entries(fields)) {
    const quoted = `"${name.replace(/["\\\r\n]/g, '_')}"`
    if (name === 'file') {
      const { filename, content_type, bytes } = fileOf(value)
      pieces.push(
        `--${boundary}\r\nContent-Disposition: form-data; name=${quoted}; filename="${filename}"\r\nContent-Type: ${content_type}\r\n\r\n`,
        bytes,
        '\r\n',
      )
    } else if (value !== null && value !== undefined) {
      const text = typeof value === 'string' ? value : textOf(name, value)
      pieces.push(`--${boundary}\r\nContent-Disposition: form-data; name=${quoted}\r\n\r\n${text}\r\n`)
    }
  }
  pieces.push(`--${boundary}--\r\n`)
  const body = Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)))
  return { body, headers: { ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` } }
}

const MEDIA_TYPE = /^[\w.+-]{1,60}\/[\w.+-]{1,100}$/

function fileOf(value: unknown): { filename: string; content_type: string; bytes: Buffer } {
  const { filename, content_type = 'application/octet-stream', text, base64 } = (value ?? {}) as Record<string, unknown>
  if (typeof filename !== 'string' || filename === '')
    throw new WrongArgument('file.filename', 'is required', 'required')
  if (typeof content_type !== 'string' || !MEDIA_TYPE.test(content_type)) {
    throw new WrongArgument('file.content_type', 'must be a media type such as text/markdown', 'invalid_format')
  }
  if ((typeof text === 'string') === (typeof base64 === 'string')) {
    throw new WrongArgument('file', 'must have a text or base64, and not both', 'required')
  }
  const bytes = typeof text === 'string' ? Buffer.from(text) : decoded(base64 as string)
  return { filename: filename.replace(/["\\\r\n\0]/g, '_'), content_type, bytes }
}

/** Programs wrap base64 into lines. */
function decoded(base64: string): Buffer {
  const text = base64.replace(/\s/g, '')
  if (!isBase64(text)) {
    throw new WrongArgument('file.base64', 'must be base64 with its padding, and without a prefix', 'invalid_format')
  }
  return Buffer.from(text, 'base64')
}

/** The result of the tool. An error of the API is an error of the tool, with the same code. */
export function resultOf(
  { route }: OperationTool,
  path: string,
  { status, headers, body }: InnerAnswer,
): CallToolResult {
  const type = headers['content-type'] ?? ''
  if (status >= 400) return { isError: true, content: [{ type: 'text', text: Buffer.from(body).toString() }] }
  if (body.byteLength === 0) return { content: [{ type: 'text', text: 'Done.' }] }
  if (type.startsWith('application/json') && route.download === undefined) {
    const text = Buffer.from(body).toString()
    return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) as Record<string, unknown> }
  }
  if (type.startsWith('text/')) {
    const text = Buffer.from(body).toString()
    const cut = text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}\n… cut here` : text
    return { content: [{ type: 'text', text: cut }] }
  }
  const [mimeType = 'application/octet-stream'] = type.split(';')
  const blob = Buffer.from(body).toString('base64')
  return { content: [{ type: 'resource', resource: { uri: `parley:/${path}`, mimeType, blob } }] }
}

/** An error of ours in the form of the API's. */
export function toolError(code: string, message: string, details?: Record<string, unknown>): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: JSON.stringify({ error: { code, message, details } }) }] }
}
