/** `@parley/client`: the public API of Parley for programs. */
export type { Answer, ApiRequest, CallOptions, ConnectionOptions } from './connection.ts'
export { Connection } from './connection.ts'
export type { AnyErrorCode, DetailsOf, ErrorDetails, Violation } from './errors.ts'
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  ParleyError,
  PermissionError,
  RateLimitError,
  ServerError,
  TimeoutError,
} from './errors.ts'
export type { CloudEventOf, ThinEvent } from './event_forms.ts'
export * from './generated/groups.ts'
export type * from './generated/types.ts'
export { Pages } from './pages.ts'
export type { RateLimit, RateLimits, RateWindow } from './rate_limits.ts'
export type { Clock } from './retry.ts'
export type { HeadersLike, PublicKey, VerifyOptions } from './webhook.ts'
export { verifyWebhook, WebhookVerificationError } from './webhook.ts'
