/** The errors of calls. `code` says what happened; the class says what to do. */
import type { DetailsByCode, ErrorCode } from './generated/types.ts'

/** One rule of the API that a request broke. */
export type Violation = { path: string; message: string; code: string }

/** The facts of an error. Which there are depends on the code. */
export type ErrorDetails = { violations?: Violation[]; [fact: string]: unknown }

/** `UNEXPECTED_ANSWER`: the answer is not one of Parley, for example that of a proxy. */
export type AnyErrorCode = ErrorCode | 'UNEXPECTED_ANSWER'

/** The facts that an error of the code can have. */
export type DetailsOf<Code extends AnyErrorCode> = ErrorDetails &
  (Code extends keyof DetailsByCode ? DetailsByCode[Code] : unknown)

/** Everything that this package throws, except the reason of an aborted signal and errors of wrong arguments. */
export class ParleyError extends Error {
  override readonly name: string = 'ParleyError'
}

/** No answer came: the address is wrong, the network failed or the server is down. `cause` is the error of `fetch`. */
export class ConnectionError extends ParleyError {
  override readonly name: string = 'ConnectionError'
}

/** No answer came in time. */
export class TimeoutError extends ConnectionError {
  override readonly name: string = 'TimeoutError'
}

export type Refusal = {
  status: number
  code: AnyErrorCode
  message: string
  details: ErrorDetails
  request_id: string | undefined
  retry_after_s: number | undefined
}

/** The API refused the call. */
export class ApiError extends ParleyError {
  override readonly name: string = 'ApiError'
  readonly status: number
  readonly code: AnyErrorCode
  readonly details: ErrorDetails
  /** Names the request in the log of the server. */
  readonly request_id: string | undefined
  /** Seconds after which the call can be repeated, when the API names them. */
  readonly retry_after_s: number | undefined

  constructor({ status, code, message, details, request_id, retry_after_s }: Refusal) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
    this.request_id = request_id
    this.retry_after_s = retry_after_s
  }

  /** True for this code. TypeScript then knows the facts in `details`. */
  is<Code extends AnyErrorCode>(code: Code): this is this & { code: Code; details: DetailsOf<Code> } {
    return this.code === code
  }
}

/** 400, 413, 415 or 422: the request must change. `details.violations` lists the broken rules. */
export class InvalidRequestError extends ApiError {
  override readonly name: string = 'InvalidRequestError'
}

/** 401: the token is wrong, revoked or expired. */
export class AuthenticationError extends ApiError {
  override readonly name: string = 'AuthenticationError'
}

/** 403: the token may not do this. */
export class PermissionError extends ApiError {
  override readonly name: string = 'PermissionError'
}

/** 404: there is no such record in the project. */
export class NotFoundError extends ApiError {
  override readonly name: string = 'NotFoundError'
}

/** 409 or 412: the state of the record does not allow it. */
export class ConflictError extends ApiError {
  override readonly name: string = 'ConflictError'
}

/** 429: a rate limit is exceeded, and stays so for longer than the client waits. */
export class RateLimitError extends ApiError {
  override readonly name: string = 'RateLimitError'
}

/** 5xx: the server or a provider failed. The call was repeated already. */
export class ServerError extends ApiError {
  override readonly name: string = 'ServerError'
}

const CLASSES: Record<number, typeof ApiError> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  412: ConflictError,
  413: InvalidRequestError,
  415: InvalidRequestError,
  422: InvalidRequestError,
  429: RateLimitError,
}

/** The error of an answer. `text` is its body. */
export function refusalOf(status: number, headers: Headers, text: string, retry_after_s: number | undefined): ApiError {
  const request_id = headers.get('x-request-id') ?? undefined
  const about = { status, request_id, retry_after_s }
  const answer = parsed(text) as { error?: unknown; statusCode?: unknown } | undefined
  const { code, message, details } = (answer?.error ?? {}) as Partial<Refusal>
  if (typeof code === 'string' && typeof message === 'string') {
    const Kind = CLASSES[status] ?? (status >= 500 ? ServerError : ApiError)
    return new Kind({ ...about, code, message, details: details ?? {} })
  }
  // The answer to a failed authentication has no code, so that it tells nothing of the cause.
  if (status === 401 && answer?.statusCode === 401) {
    return new AuthenticationError({ ...about, code: 'UNAUTHENTICATED', message: 'Unauthorized', details: {} })
  }
  const Kind = status >= 500 ? ServerError : ApiError
  const message_of_stranger = `The answer has status ${status} and is not one of Parley: check base_url.`
  return new Kind({ ...about, code: 'UNEXPECTED_ANSWER', message: message_of_stranger, details: {} })
}

/** Undefined for a text that is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
