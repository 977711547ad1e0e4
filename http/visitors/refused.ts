/** The reason why a visitor is refused, sent to the page as `{ code, message, retry_after_s? }`. */
import type { AddressRefusal } from '../server/limits/address_limits.ts'

type RefusalCode =
  | 'CHANNEL_NOT_FOUND'
  | 'CHANNEL_CLOSED'
  | 'ORIGIN_NOT_ALLOWED'
  | 'TOKEN_INVALID'
  | 'MALFORMED'
  | 'TOO_LONG'
  | 'TOO_FAST'
  | 'UNKNOWN_MESSAGE'
  | 'IDENTITY_INVALID'
  | 'UPLOAD_NOT_ALLOWED'
  | 'UPLOAD_ENDED'
  | 'FILE_TOO_LARGE'
  | 'FILE_NOT_ACCEPTED'
  | 'FILE_GONE'
  | 'FILES_FULL'
  | 'SERVICE_UNAVAILABLE'

export type Refusal = {
  code: RefusalCode
  message: string
  /** Seconds, at least 1; missing where waiting does not help, or the time is unknown. */
  retry_after_s?: number | undefined
}

export class Refused extends Error {
  readonly code: RefusalCode
  readonly retry_after_s: number | undefined

  constructor(code: RefusalCode, message: string, retry_after_s?: number) {
    super(message)
    this.name = 'Refused'
    this.code = code
    this.retry_after_s = retry_after_s
  }
}

/** The client address exceeded its limit. */
export function tooMuchFrom({ retry_after_s }: AddressRefusal): Refused {
  const message = `Too much comes from this network at once. Try again in ${retry_after_s} s.`
  return new Refused('TOO_FAST', message, retry_after_s)
}

const CROWDED_RETRY_S = 10

/** The company has its half of the node's places. */
export function tooManyVisitors(): Refused {
  return new Refused('TOO_FAST', `Too many people are in the chat. Try again in ${CROWDED_RETRY_S} s.`, CROWDED_RETRY_S)
}

const CLOSED_RETRY_S = 30

/** The channel exists, but is disabled. */
export function channelClosed(): Refused {
  return new Refused('CHANNEL_CLOSED', 'The chat is closed at the moment.', CLOSED_RETRY_S)
}

/** The token is none, or its session has ended. */
export function sessionEnded(): Refused {
  return new Refused('TOKEN_INVALID', 'Come in again without a token.')
}

/** The refusal for the page. Internal errors are reported without details. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refused) {
    const { code, message, retry_after_s } = error
    return { code, message, retry_after_s }
  }
  return { code: 'SERVICE_UNAVAILABLE', message: 'This cannot be done right now. It is tried again.' }
}
