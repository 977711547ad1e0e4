import type * as v from 'valibot'
import { Refusal } from '../../../runtime/mod.ts'
import { invalid, type Violation } from '../../failure.ts'

/** @throws {Refusal} VALIDATION_ERROR when there are violations; for what only stored records can tell */
export function refuseInvalid(violations: Violation[]): void {
  if (violations.length === 0) return
  const { code, message, details } = invalid(violations)
  throw new Refusal(code, { message, details })
}

/** The path of an issue inside the value that is checked: `pathOf('1', 'target')`. */
export function pathOf(...keys: string[]): [v.IssuePathItem, ...v.IssuePathItem[]] {
  return keys.map((key) => ({ type: 'object', origin: 'value', input: {}, key, value: undefined })) as never
}
