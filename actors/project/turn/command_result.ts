import type { ErrorCode } from '../../error_catalogue.ts'

/** The answer to a command. */
export type CommandResult =
  | {
      /** Default: the route's status. */
      status?: number | undefined
      body?: unknown
      /** The body as JSON text, for stored answers and those kept by the actor: saves parsing and writing. */
      json?: string | undefined
      /** True for the answer to an earlier request with the same idempotency key. */
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

/** The record in an answer; null for a refusal, and for the answer to an earlier request. */
export function recordOf(result: CommandResult): object | null | undefined {
  return 'error' in result || result.replayed ? null : (result.body as object | undefined)
}
