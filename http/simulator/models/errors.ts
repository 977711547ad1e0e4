import type { Answer } from '../answer.ts'

/** A refusal in the form of OpenAI. */
export class ModelError extends Error {
  readonly status: number
  readonly code: string | null
  readonly param: string | null
  readonly retry_after: number | undefined

  constructor(status: number, message: string, more: { code?: string; param?: string; retry_after?: number } = {}) {
    super(message)
    this.status = status
    this.code = more.code ?? null
    this.param = more.param ?? null
    this.retry_after = more.retry_after
  }

  toAnswer(): Answer {
    const { message, param, code, status, retry_after } = this
    return {
      status,
      body: { error: { message, type: typeOf(status), param, code } },
      ...(retry_after !== undefined && { headers: { 'retry-after': String(retry_after) } }),
    }
  }
}

/** The refusal of a body whose field `param` is wrong. */
export function invalid(param: string, message: string, code?: string): ModelError {
  return new ModelError(400, message, { param, ...(code && { code }) })
}

const STATUSES: Record<number, [string, string?]> = {
  400: ['Invalid request.'],
  401: ['Incorrect API key provided.', 'invalid_api_key'],
  402: ['Your account has no credit left.'],
  403: ['Country, region, or territory not supported.', 'unsupported_country_region_territory'],
  404: ['The model does not exist or you do not have access to it.', 'model_not_found'],
  429: ['Rate limit reached for requests.', 'rate_limit_exceeded'],
  500: ['The server had an error while processing your request.'],
  502: ['Bad gateway.'],
  503: ['The engine is currently overloaded, please try again later.'],
  504: ['Gateway timeout.'],
}

export const statuses: readonly number[] = Object.keys(STATUSES).map(Number)

/** The usual refusal with this status. `retry_after` in seconds. */
export function refusal(status: number, retry_after?: number): ModelError {
  const [message, code] = STATUSES[status] ?? ['Error.']
  return new ModelError(status, message, { ...(code && { code }), ...(retry_after !== undefined && { retry_after }) })
}

function typeOf(status: number): string {
  if (status >= 500) return 'server_error'
  return status === 429 ? 'requests' : 'invalid_request_error'
}
