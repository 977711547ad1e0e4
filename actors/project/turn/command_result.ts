import { Unavailable } from '../../../runtime/mod.ts'
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

/** The record that a command has changed; null for a refusal, and for a replayed answer. */
export function recordOf(result: CommandResult): object | null | undefined {
  return 'error' in result || result.replayed ? null : (result.body as object | undefined)
}

export function unavailable({ message, retry_after_s }: Unavailable) {
  return { error: { code: 'SERVICE_UNAVAILABLE' as const, message, retry_after: retry_after_s } }
}

/** The answer to a command that a node of a later version has sent: a later owner of the project will know it. */
export function unknownCommand({ type }: { type: string }) {
  return unavailable(
    new Unavailable(`The node that answers for this project has no ${type} yet; it is to be upgraded.`),
  )
}
