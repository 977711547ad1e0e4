/** Calls to external servers: permitted addresses, time limits and size limits. */
export {
  type AnswerStream,
  type Exchange,
  type ExchangeError,
  type ExchangeRequest,
  exchange,
  slugOf,
} from './exchange.ts'
export type { GuardCode } from './failures.ts'
export { type FetchedFile, FetchFailed, type FetchOptions, fetchFile, nameInUrl } from './fetch_file.ts'
export { type GuardOptions, OutboundGuard, type UrlVerdict } from './guard.ts'
export { isUrl, parseUrl } from './parse_url.ts'
export { partOf } from './part.ts'
export type { Resolve } from './resolve.ts'
export { retryAfter } from './retry_after.ts'
export { type SpooledStream, spoolStream, writeStream } from './spool_file.ts'
