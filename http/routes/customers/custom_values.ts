/** The bodies of requests that create and change customers. */
import * as v from 'valibot'
import { composedText, customFields, customFieldViolations, maxCharacters, minCharacters } from '../../../actors/mod.ts'
import type { CustomField } from '../../../storage/mod.ts'
import { refuseInvalid } from '../../server/errors/invalid.ts'
import { email, phone } from '../../server/schema/fields.ts'

const MAX_TAGS = 100

const tags = v.pipe(
  v.array(
    v.pipe(v.string('must be a string'), composedText(), v.trim(), minCharacters(1), maxCharacters(100)),
    'must be a list of texts',
  ),
  v.maxLength(MAX_TAGS, `must have at most ${MAX_TAGS} tags`),
  v.transform((list) => [...new Set(list)]),
)

/** The fields that may be left out. */
const fields = {
  email: v.optional(v.nullable(email)),
  phone: v.optional(v.nullable(phone)),
  tags: v.optional(tags),
  custom_fields: v.optional(customFields),
}

const full_name = v.pipe(v.string('must be a string'), composedText(), v.trim(), minCharacters(1), maxCharacters(150))

export const newCustomer = v.strictObject({ full_name, ...fields })

export const changedCustomer = v.strictObject({ full_name: v.optional(full_name), ...fields })

/** @throws {Refusal} VALIDATION_ERROR when values do not match the company's definitions */
export function customFieldsMustBeDefined(values: Record<string, unknown>, defined: CustomField[]): void {
  refuseInvalid(customFieldViolations(values, new Map(defined.map((field) => [field.key, field]))))
}
