/**
 * Checks custom fields against the company's definitions. A company without definitions for a kind of record may use
 * any fields. With definitions, an undefined key is an error, so that a typing mistake does not create a new field.
 */
import type { CustomField, CustomFieldOwner } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Definitions } from './definitions.ts'
import { expected, fits } from './field_value.ts'

type Violation = { path: string; message: string; code: string }

/** @throws {Refusal} VALIDATION_ERROR with a violation for each invalid field */
export function checkCustomFields(
  owner: CustomFieldOwner,
  values: Record<string, unknown>,
  { custom_fields }: Pick<Definitions, 'custom_fields'>,
): void {
  const violations = customFieldViolations(values, custom_fields[owner])
  if (violations.length > 0) throw refuse('VALIDATION_ERROR', { violations })
}

/** The violations of these values; empty when nothing is defined. */
export function customFieldViolations(
  values: Record<string, unknown>,
  defined: ReadonlyMap<string, Pick<CustomField, 'key' | 'type' | 'options'>>,
): Violation[] {
  if (defined.size === 0) return []
  const violations: Violation[] = []
  for (const [key, value] of Object.entries(values)) {
    const path = `custom_fields.${key}`
    const field = defined.get(key)
    if (!field) {
      const message = `is not defined; the fields are ${[...defined.keys()].sort().join(', ')}`
      violations.push({ path, message, code: 'unknown_property' })
    } else if (!fits(field.type, value)) {
      violations.push({ path, message: `must be ${expected[field.type]}`, code: 'invalid_type' })
    } else if (field.options && value !== null && !chosen(value).every((text) => field.options!.includes(text))) {
      violations.push({ path, message: `must be one of ${field.options.join(', ')}`, code: 'invalid_value' })
    }
  }
  return violations
}

function chosen(value: unknown): string[] {
  return Array.isArray(value) ? value : [String(value)]
}
