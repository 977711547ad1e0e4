/** The `details` of errors, as examples: the same fields as in answers (`test/e2e/described.ts` compares them). */
import type { ErrorCode } from '../../actors/mod.ts'

const examples: Partial<Record<ErrorCode, Record<string, unknown>>> = {
  VALIDATION_ERROR: { violations: [{ path: 'name', message: 'is required', code: 'required' }] },
  INSUFFICIENT_SCOPE: { required: ['messages:write'], missing: ['messages:write'] },
  INSUFFICIENT_ROLE: { required: 'admin', role: 'read' },
  THROTTLED: { exceeded: ['minute'] },
  PAYLOAD_TOO_LARGE: { limit: 1_048_576 },
  METHOD_NOT_ALLOWED: { allowed: ['GET', 'HEAD', 'OPTIONS'] },
}

/** Undefined for a code without details. */
export function detailsOf(code: ErrorCode): Record<string, unknown> | undefined {
  return examples[code]
}
