import type { ErrorCode } from '../../error_catalogue.ts'

/** The answer to a command. */
export type CommandResult =
  | {
      /** The route's status when left out. */
      status?: number | undefined
      body?: unknown
      /** The body already as JSON text: stored ones and those the actor keeps are not parsed and written again. */
      json?: string | undefined
      /** The answer to an earlier request with the same idempotency key. */
      replayed?: boolean | undefined
    }
  | {
      error: {
        code: ErrorCode
        message?: string | undefined
        details?: Record<string, unknown> | undefined
        /** Seconds, for `Retry-After`. */
        retry_after?: number | undefined
      }
      /** As above. */
      replayed?: boolean | undefined
    }
