import { randomUUID } from 'node:crypto'
import { type Answer, ok } from '../answer.ts'
import type { Dialect } from '../behave.ts'

/** Codes of TikTok's API for Business, which come with status 200. */
const ERRORS: Record<number, string> = {
  40001: 'You do not have permission to perform this action.',
  40002: 'The request parameters are invalid.',
  40007: 'The object does not exist.',
  40064: 'The message was blocked due to messaging restrictions.',
  40100: 'Requests made too frequently.',
  40105: 'Access token is incorrect or has been revoked.',
  40908: 'The file format is not supported.',
  50000: 'System error.',
}

/** Codes of temporary errors, with the number of failures before a message goes through. */
export const RECOVERING: Record<number, number> = { 40100: 1, 50000: 2 }

export function titleOf(code: number): string {
  return ERRORS[code] ?? 'Unknown error.'
}

export function listedCodes(): number[] {
  return Object.keys(ERRORS).map(Number)
}

/** A refusal in TikTok's format; thrown by its routes. */
export class TikTokError extends Error {
  readonly code: number
  constructor(code: number, message = titleOf(code)) {
    super(message)
    this.code = code
  }
}

export function success(data: unknown): Answer {
  return ok({ code: 0, message: 'OK', request_id: randomUUID(), data })
}

function refusal(code: number, message = titleOf(code), status = 200, retry_after?: number): Answer {
  const headers = retry_after === undefined ? {} : { headers: { 'retry-after': String(retry_after) } }
  return { status, ...headers, body: { code, message, request_id: randomUUID(), data: {} } }
}

export const DIALECT: Dialect = {
  refusal: ({ code, message, status, retry_after }) => refusal(code, message, status, retry_after),
  answerOf: (error) => (error instanceof TikTokError ? refusal(error.code, error.message) : undefined),
}
