import { refuse } from '../../refuse.ts'

const YEAR_MS = 366 * 86_400_000

/**
 * A moment that is to come, within a year. `text`: ISO 8601.
 * @throws {Refusal} VALIDATION_ERROR
 */
export function mustBeAhead(field: string, text: string, now: Date): Date {
  const at = new Date(text)
  const ahead = at.getTime() - now.getTime()
  if (ahead > 0 && ahead <= YEAR_MS) return at
  const message = ahead > 0 ? 'must be within a year' : 'must be in the future'
  throw refuse(
    'VALIDATION_ERROR',
    { violations: [{ path: field, message, code: 'invalid_value' }] },
    `${field} ${message}`,
  )
}
