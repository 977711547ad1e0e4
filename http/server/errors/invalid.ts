import { Refusal } from '../../../runtime/mod.ts'
import { invalid, type Violation } from './api_error.ts'

/**
 * Reports violations that only stored records can reveal. @throws {Refusal} VALIDATION_ERROR when there are violations
 */
export function refuseInvalid(violations: Violation[]): void {
  if (violations.length === 0) return
  const { code, message, details } = invalid(violations)
  throw new Refusal(code, { message, details })
}
