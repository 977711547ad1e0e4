import { Refusal } from '../runtime/mod.ts'
import type { ErrorCode } from './error_catalogue.ts'

/** A refusal with a code of the catalogue; without a message the catalogue's text stands. */
export function refuse(code: ErrorCode, details?: Record<string, unknown>, message?: string): Refusal {
  return new Refusal(code, { details, message })
}
