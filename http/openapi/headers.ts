/** The headers of requests and responses, as components of the document. */

import type { JsonSchema } from '../../actors/mod.ts'
import type { DescribedOperation } from './describe.ts'
import type { Parameter } from './parameters.ts'

type Header = { description: string; required?: boolean; schema: JsonSchema; example: unknown }

const seconds = { type: 'integer', minimum: 0 }
const text = { type: 'string' }

const windows = {
  minute: 'minute',
  hour: 'hour',
  day: 'day',
  ingest: 'minute of event ingest',
  poll: 'minute of polls',
} as const
type Window = keyof typeof windows

/** Names of the windows that each budget has. */
const WINDOWS_OF: Record<string, Window[]> = { shared: ['minute', 'hour', 'day'], ingest: ['ingest'], poll: ['poll'] }

const LIMITS: Record<Window, [number, number]> = {
  minute: [60, 60],
  hour: [200, 3600],
  day: [1000, 86_400],
  ingest: [6000, 60],
  poll: [6000, 60],
}

function limitHeaders(window: Window): Record<string, Header> {
  const [limit, reset] = LIMITS[window]
  const per = windows[window]
  return {
    [`X-RateLimit-Limit-${window}`]: {
      description: `Requests that the project may make per ${per}.`,
      schema: seconds,
      example: limit,
    },
    [`X-RateLimit-Remaining-${window}`]: {
      description: `Requests left in this ${per}.`,
      schema: seconds,
      example: limit - 1,
    },
    [`X-RateLimit-Reset-${window}`]: {
      description: `Seconds until the window of the ${per} ends.`,
      schema: seconds,
      example: reset,
    },
  }
}

export const responseHeaders: Record<string, Header> = {
  'X-Request-Id': {
    description: 'The id of the request: the one that it was sent with, else a new one. Quote it in reports.',
    required: true,
    schema: text,
    example: '0b7d5e7c-3f5a-4b7e-9d1e-2a6f8c4b1d90',
  },
  ...limitHeaders('minute'),
  ...limitHeaders('hour'),
  ...limitHeaders('day'),
  ...limitHeaders('ingest'),
  ...limitHeaders('poll'),
  'Retry-After': {
    description: 'Seconds after which the request can be sent again.',
    schema: { type: 'integer', minimum: 1 },
    example: 42,
  },
  ...Object.fromEntries(
    (Object.keys(windows) as Window[]).map((window) => [
      `Retry-After-${window}`,
      {
        description: `Seconds until the exceeded window of the ${windows[window]} ends. Only for exceeded windows.`,
        schema: { type: 'integer', minimum: 1 },
        example: 42,
      },
    ]),
  ),
  ETag: { description: 'The version of what is answered.', schema: text, example: '"7"' },
  'Idempotent-Replayed': {
    description: '`true` when this is the stored answer of an earlier request with the same `Idempotency-Key`.',
    schema: { const: 'true' },
    example: 'true',
  },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: { const: 'Bearer' }, example: 'Bearer' },
  Deprecation: {
    description:
      'The moment of the deprecation, on answers to requests that use a deprecated parameter (RFC 9745). It goes on to work.',
    schema: { type: 'string', pattern: '^@\\d+$' },
    example: '@1795910400',
  },
  'Content-Disposition': {
    description: 'How a browser shows the file, and its name.',
    schema: text,
    example: 'attachment; filename="invoice.pdf"',
  },
  'Content-Range': { description: 'The part of the file.', schema: text, example: 'bytes 0-1023/4096' },
  'Accept-Ranges': { description: 'Parts of the file can be asked for.', schema: { const: 'bytes' }, example: 'bytes' },
}

export const requestHeaders: Record<string, Parameter & { example: string }> = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: 'A key of your choice for this request. Sent again with the same key, the request does nothing twice.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
    example: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  },
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description: 'An id of your choice, which the answer and the log then carry.',
    schema: { type: 'string' },
    example: '0b7d5e7c-3f5a-4b7e-9d1e-2a6f8c4b1d90',
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    required: false,
    description: 'The `ETag` of the record that the request is based on.',
    schema: text,
    example: '"7"',
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'The `ETag` that the client has; an unchanged record is answered 304 without a body.',
    schema: text,
    example: '"7"',
  },
  Range: {
    name: 'Range',
    in: 'header',
    required: false,
    description: 'The part of the file, in bytes.',
    schema: text,
    example: 'bytes=0-1023',
  },
  'MCP-Protocol-Version': {
    name: 'MCP-Protocol-Version',
    in: 'header',
    required: false,
    description: 'The revision of the protocol that the client speaks.',
    schema: text,
    example: '2025-11-25',
  },
  'X-MCP-Toolsets': {
    name: 'X-MCP-Toolsets',
    in: 'header',
    required: false,
    description: 'The sets of tools to list, separated by commas: `default`, `all`, or sections of the API.',
    schema: text,
    example: 'default,broadcasts',
  },
  'X-MCP-Tools': {
    name: 'X-MCP-Tools',
    in: 'header',
    required: false,
    description: 'Names of single tools, in addition to the toolsets; alone, only these.',
    schema: text,
    example: 'list_contacts,send_message',
  },
  'X-MCP-Readonly': {
    name: 'X-MCP-Readonly',
    in: 'header',
    required: false,
    description: 'With `true`, tools that write are neither listed nor called.',
    schema: text,
    example: 'true',
  },
}

/** Names of the headers that requests of the operation may have. */
export function requestHeadersOf({
  takes_key,
  is_versioned,
  is_download,
  has_etag,
  method,
  route,
}: DescribedOperation): string[] {
  return [
    'X-Request-Id',
    ...(takes_key ? ['Idempotency-Key'] : []),
    ...(is_versioned ? ['If-Match'] : []),
    ...(has_etag && method === 'GET' ? ['If-None-Match'] : []),
    ...(is_download ? ['Range'] : []),
    ...(route.request_headers ?? []),
  ]
}

/** Names of the headers of a success. */
export function successHeadersOf(operation: DescribedOperation, status: number): string[] {
  const { takes_key, has_etag, is_download, parameters, route } = operation
  return [
    'X-Request-Id',
    ...rateHeadersOf(operation),
    ...(takes_key ? ['Idempotent-Replayed'] : []),
    ...(route.response_headers ?? []),
    ...(has_etag ? ['ETag'] : []),
    ...(is_download ? ['Accept-Ranges'] : []),
    ...(is_download && status !== 304 ? ['Content-Disposition'] : []),
    ...(status === 206 ? ['Content-Range'] : []),
    ...(parameters.some(({ deprecated }) => deprecated) ? ['Deprecation'] : []),
  ]
}

/** Names of the headers of an error. */
export function errorHeadersOf(operation: DescribedOperation, status: number): string[] {
  const limited = status === 401 ? [] : rateHeadersOf(operation)
  const windows =
    status === 429 ? (WINDOWS_OF[operation.pool ?? ''] ?? []).map((window) => `Retry-After-${window}`) : []
  return [
    'X-Request-Id',
    ...limited,
    ...(status === 401 ? ['WWW-Authenticate'] : []),
    ...(isKept(operation, status) ? ['Idempotent-Replayed'] : []),
    ...([429, 502, 503].includes(status) || (operation.takes_key && status === 409) ? ['Retry-After'] : []),
    ...windows,
    ...(status === 416 ? ['Content-Range', 'Accept-Ranges', 'ETag'] : []),
  ]
}

/** True where the error can be the stored answer of an earlier request. */
export function isKept({ takes_key }: DescribedOperation, status: number): boolean {
  return takes_key && [400, 404, 409, 422].includes(status)
}

function rateHeadersOf({ pool }: DescribedOperation): string[] {
  return (WINDOWS_OF[pool ?? ''] ?? []).flatMap((window) => Object.keys(limitHeaders(window)))
}
