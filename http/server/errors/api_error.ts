import { type ErrorCode, errorCatalogue, isErrorCode, publicCode } from '../../../actors/mod.ts'
import { isStorageTrouble, Refusal, Unavailable } from '../../../runtime/mod.ts'
import { UpstreamFailure } from '../changes/operation.ts'
import type { AddressRefusal } from '../limits/address_limits.ts'
import { TooManyFromAddress } from '../limits/unknown_sender.ts'

/** The error that answers a request: a code of the catalogue and the details of this case. */
export type ApiError = {
  code: ErrorCode
  /** Replaces the catalogue's text. */
  message?: string | undefined
  details?: Record<string, unknown> | undefined
  /** Seconds, for `Retry-After`. */
  retry_after?: number | undefined
  /** Closes the connection after the answer, because the rest of the request is not wanted. */
  close?: boolean | undefined
}

/** One violation in a request. `path` is dotted, empty for the body as a whole. */
export type Violation = { path: string; message: string; code: string }

/** All violations of a request in one answer; the message quotes the first. */
export function invalid(violations: Violation[]): ApiError {
  return { code: 'VALIDATION_ERROR', message: sentenceOf(violations), details: { violations } }
}

function sentenceOf(violations: Violation[]): string {
  const [first] = violations
  const where = first?.path ? `${first.path} ` : ''
  const rest = violations.length > 1 ? ` (and ${violations.length - 1} more in details.violations)` : ''
  return `${where}${first?.message}${rest}`
}

/** The sentence of an error without a message of its own. Actors leave the sentence about violations to us. */
function usualMessage({ code, details }: ApiError): string {
  const violations = code === 'VALIDATION_ERROR' && (details?.violations as Violation[] | undefined)
  return violations && violations.length > 0 ? sentenceOf(violations) : errorCatalogue[code].message
}

/** The API error for a thrown error, or undefined when it is a fault of ours. */
export function apiErrorOf(error: unknown): ApiError | undefined {
  if (error instanceof Refusal && isErrorCode(error.code)) {
    const { code, text, details } = error
    const retry_after = typeof details?.retry_after === 'number' ? details.retry_after : undefined
    return { code, message: text, details, retry_after }
  }
  if (error instanceof UpstreamFailure) {
    return { code: error.code, message: error.message, retry_after: error.retry_after_s }
  }
  if (error instanceof TooManyFromAddress) return tooManyFrom(error.refusal)
  if (error instanceof Unavailable) return unavailable(error.retry_after_s)
  // The database itself failed, not this request.
  if (isStorageTrouble(error)) return unavailable(1)
  return undefined
}

/** Codes of the system that sockets do not have. A full disk is no more the client's fault than a lost database. */
const FILE_TROUBLE = [
  'ENOSPC',
  'EROFS',
  'EDQUOT',
  'EACCES',
  'EPERM',
  'EIO',
  'EMFILE',
  'ENFILE',
  'ENOENT',
  'EEXIST',
  'ENOTDIR',
  'ESTALE',
]

/** True for an error of a file or a directory. */
export function isFileTrouble(error: unknown): boolean {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException
  return typeof syscall === 'string' && syscall !== 'connect' && FILE_TROUBLE.includes(code ?? '')
}

export function unavailable(retry_after_s: number): ApiError {
  return { code: 'SERVICE_UNAVAILABLE', retry_after: Math.ceil(retry_after_s) }
}

/** The client address exceeded its limit. */
export function tooManyFrom({ retry_after_s }: AddressRefusal): ApiError {
  const message = `Too many requests come from this address. Try again in ${retry_after_s} s.`
  return { code: 'THROTTLED', message, retry_after: retry_after_s }
}

/** The body of the answer. All failed authentications look the same, whatever the cause. */
export function envelope(error: ApiError): string {
  const { code, message, details } = error
  if (code === 'UNAUTHENTICATED') return unauthorized
  return JSON.stringify({
    error: { code: publicCode(code), message: message ?? usualMessage(error), details },
  })
}

const unauthorized = JSON.stringify({ message: 'Unauthorized', error: 'Unauthorized', statusCode: 401 })
