import type { Answer } from '../answer.ts'
import type { Dialect } from '../behave.ts'

/** A refusal in the Bot API's format: `{ ok: false, error_code, description, parameters? }`. */
export class BotApiError extends Error {
  readonly code: number
  readonly retry_after: number | undefined

  constructor(code: number, description: string, retry_after?: number) {
    super(description)
    this.code = code
    this.retry_after = retry_after
  }
}

export function badRequest(what: string): BotApiError {
  return new BotApiError(400, `Bad Request: ${what}`)
}

/** Telegram's default texts for codes. */
const USUAL: Record<number, string> = {
  400: 'Bad Request: chat not found',
  401: 'Unauthorized',
  403: 'Forbidden: bot was blocked by the user',
  404: 'Not Found',
  409: 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
  429: 'Too Many Requests: retry after',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
}

export const DIALECT: Dialect = {
  refusal: ({ code, status = code, message, retry_after }) => {
    const wait = code === 429 ? (retry_after ?? 1) : retry_after
    const usual = USUAL[code] ?? 'Bad Request'
    const description = message ?? (code === 429 ? `${usual} ${wait}` : usual)
    return { ...answerOf(new BotApiError(code, description, wait)), status }
  },
  answerOf: (error) => (error instanceof BotApiError ? answerOf(error) : undefined),
}

function answerOf({ code, message: description, retry_after }: BotApiError): Answer {
  const parameters = retry_after === undefined ? {} : { parameters: { retry_after } }
  return { status: code, body: { ok: false, error_code: code, description, ...parameters } }
}
