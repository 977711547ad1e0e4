/** Why a visitor is not let in, or not heard: told to the page as `{ code, message }`. */
type RefusalCode =
  | 'CHANNEL_NOT_FOUND'
  | 'ORIGIN_NOT_ALLOWED'
  | 'TOKEN_INVALID'
  | 'MALFORMED'
  | 'TOO_LONG'
  | 'TOO_FAST'
  | 'UNKNOWN_MESSAGE'
  | 'SERVICE_UNAVAILABLE'

export type Refusal = { code: RefusalCode; message: string }

export class Refused extends Error {
  readonly code: RefusalCode

  constructor(code: RefusalCode, message: string) {
    super(message)
    this.name = 'Refused'
    this.code = code
  }
}

/** What the page is told. Of our own troubles it learns nothing but that there are some. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refused) return { code: error.code, message: error.message }
  return { code: 'SERVICE_UNAVAILABLE', message: 'This cannot be done right now. It is tried again.' }
}
