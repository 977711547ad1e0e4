/** Why a visitor is not let in, or not heard: told to the page as `{ code, message, retry_after_s? }`. */
import type { AddressRefusal } from '../server/address_limits.ts'

type RefusalCode =
  | 'CHANNEL_NOT_FOUND'
  | 'CHANNEL_CLOSED'
  | 'ORIGIN_NOT_ALLOWED'
  | 'TOKEN_INVALID'
  | 'MALFORMED'
  | 'TOO_LONG'
  | 'TOO_FAST'
  | 'UNKNOWN_MESSAGE'
  | 'SERVICE_UNAVAILABLE'

export type Refusal = {
  code: RefusalCode
  message: string
  /** Seconds, at least 1; missing where waiting does not help, or nobody knows how long. */
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

/** More than one address may do. */
export function tooMuchFrom({ retry_after_s }: AddressRefusal): Refused {
  const message = `Too much comes from this network at once. Try again in ${retry_after_s} s.`
  return new Refused('TOO_FAST', message, retry_after_s)
}

const CLOSED_RETRY_S = 30

/** The channel is there, but switched off. */
export function channelClosed(): Refused {
  return new Refused('CHANNEL_CLOSED', 'The chat is closed at the moment.', CLOSED_RETRY_S)
}

/** What the page is told. Of our own troubles it learns nothing but that there are some. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refused) {
    const { code, message, retry_after_s } = error
    return { code, message, retry_after_s }
  }
  return { code: 'SERVICE_UNAVAILABLE', message: 'This cannot be done right now. It is tried again.' }
}
