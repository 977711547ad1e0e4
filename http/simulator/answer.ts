/** An answer of a route, and the action on its connection. */
export type Answer = {
  status: number
  /** A JSON value, or bytes sent as they are under `content_type`. */
  body?: unknown
  content_type?: string
  headers?: Record<string, string>
  /** Milliseconds to wait before the answer is written. */
  latency_ms?: number
  /** `reset` cuts the connection instead of answering, `hang` leaves it open for ever. */
  fate?: 'reset' | 'hang'
  /** Pieces of a body that are written one by one under `content_type`, in place of `body`. */
  stream?: Iterable<string>
  /** Milliseconds between two of them. */
  piece_ms?: number
  /** `reset` cuts the connection after the last piece. */
  stream_end?: 'reset'
}

/** A request as the routes see it: read in full, nothing of it tied to the socket. */
export type SimulatorRequest = {
  method: string
  /** The path without its leading slash, split at slashes. */
  segments: string[]
  query: URLSearchParams
  authorization: string
  /** TikTok's header for the token. */
  access_token: string
  /** TikTok's header for the token on the addresses of files. */
  x_user: string
  /** Evolution API's header for the token. */
  apikey: string
  content_type: string
  /** Meta's first byte of a resumable upload. */
  file_offset: string
  host: string
  body: Buffer
}

export function ok(body: unknown, status = 200): Answer {
  return { status, body }
}

/** The error format of the control API; providers have formats of their own. */
export function controlError(status: number, code: string, message: string): Answer {
  return { status, body: { error: { code, message } } }
}

/** A refusal of the control API: thrown by its routes, answered as JSON with a sentence that says how to fix it. */
export class ControlRefusal extends Error {
  readonly status: number
  readonly code: string
  constructor(message: string, status = 400, code = 'VALIDATION_ERROR') {
    super(message)
    this.status = status
    this.code = code
  }
}
