import { randomBytes } from 'node:crypto'
import type { Answer } from '../answer.ts'
import type { Dialect } from '../behave.ts'

type ErrorEntry = { status: number; message: string; subcode?: number }

/** Codes of the Messenger Platform with Meta's documented texts. */
const ERRORS: Record<number, ErrorEntry> = {
  1: { status: 500, message: 'An unknown error occurred' },
  2: { status: 503, message: 'Service temporarily unavailable' },
  4: { status: 403, message: '(#4) Application request limit reached' },
  10: {
    status: 403,
    message: '(#10) This message is sent outside of allowed window.',
    subcode: 2534022,
  },
  17: { status: 400, message: '(#17) User request limit reached' },
  32: { status: 403, message: '(#32) Page request limit reached' },
  100: { status: 400, message: '(#100) Invalid parameter' },
  190: { status: 401, message: 'Invalid OAuth 2.0 Access Token' },
  200: { status: 403, message: '(#200) Permissions error' },
  368: { status: 400, message: '(#368) The action attempted has been deemed abusive or is otherwise disallowed' },
  551: { status: 400, message: "(#551) This person isn't available right now.", subcode: 1545041 },
  613: { status: 400, message: '(#613) Calls to this api have exceeded the rate limit.' },
  1200: { status: 400, message: '(#1200) Temporary send message failure. Please try again later.' },
  80006: { status: 400, message: '(#80006) There have been too many calls to this Instagram account.' },
}

const UNLISTED: ErrorEntry = { status: 400, message: 'Unknown error' }

export function titleOf(code: number): string {
  return (ERRORS[code] ?? UNLISTED).message.replace(/^\(#\d+\) /, '')
}

export function listedCodes(): number[] {
  return Object.keys(ERRORS).map(Number)
}

type Fields = { message?: string; status?: number; retry_after?: number; subcode?: number }

/** A refusal in Meta's format; thrown by the routes of pages. */
export class PageError extends Error {
  readonly code: number
  readonly fields: Fields
  constructor(code: number, fields: Fields = {}) {
    super(fields.message ?? (ERRORS[code] ?? UNLISTED).message)
    this.code = code
    this.fields = fields
  }
}

function answerOf({ code, message, fields }: PageError): Answer {
  const entry = ERRORS[code] ?? UNLISTED
  const error_subcode = fields.subcode ?? entry.subcode
  return {
    status: fields.status ?? entry.status,
    ...(fields.retry_after !== undefined && { headers: { 'retry-after': String(fields.retry_after) } }),
    body: {
      error: {
        message,
        type: 'OAuthException',
        code,
        ...(error_subcode !== undefined && { error_subcode }),
        fbtrace_id: `A${randomBytes(16).toString('base64url')}`,
      },
    },
  }
}

export const DIALECT: Dialect = {
  refusal: ({ code, ...fields }) => answerOf(new PageError(code, fields)),
  answerOf: (error) => (error instanceof PageError ? answerOf(error) : undefined),
}
