import type { Answer } from '../answer.ts'
import type { Dialect } from '../behave.ts'

const NAMES: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
}

/** A refusal in the gateway's form: `{ status, error, response: { message } }`. */
export class GatewayError extends Error {
  readonly status: number
  readonly said: unknown

  constructor(status: number, said: unknown) {
    super(typeof said === 'string' ? said : NAMES[status])
    this.status = status
    this.said = said
  }
}

/** The gateway's error for a body that its schemas refuse. */
export function requires(property: string): GatewayError {
  return new GatewayError(400, [[`instance requires property "${property}"`]])
}

export const DIALECT: Dialect = {
  refusal: ({ code, status = code, message }) =>
    answerOf(new GatewayError(status, message === undefined ? (NAMES[status] ?? 'Error') : [message])),
  answerOf: (error) => (error instanceof GatewayError ? answerOf(error) : undefined),
}

function answerOf({ status, said: message }: GatewayError): Answer {
  return { status, body: { status, error: NAMES[status] ?? 'Error', response: { message } } }
}
