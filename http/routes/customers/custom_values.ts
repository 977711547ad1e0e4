import { customFieldViolations } from '../../../actors/mod.ts'
import type { CustomField } from '../../../storage/mod.ts'
import { refuseInvalid } from '../../server/errors/invalid.ts'

/** @throws {Refusal} VALIDATION_ERROR when values do not match the company's definitions */
export function customFieldsMustBeDefined(values: Record<string, unknown>, defined: CustomField[]): void {
  refuseInvalid(customFieldViolations(values, new Map(defined.map((field) => [field.key, field]))))
}
