import * as v from 'valibot'
import { FIELD_KEY } from '../../../actors/mod.ts'
import type { FieldType } from '../../../storage/mod.ts'

const fieldTypes = ['string', 'number', 'boolean', 'date', 'string[]'] as const satisfies FieldType[]

export const fieldType = v.picklist(fieldTypes, `must be one of ${fieldTypes.join(', ')}`)

/** Names that every JavaScript object has: a missing value under such a name would look like a present one. */
const TAKEN = ['constructor', 'prototype']

/** The key of a custom field, or of a field of an event. */
export const fieldKey = v.pipe(
  v.string('must be a string'),
  v.regex(FIELD_KEY, 'must begin with a letter, followed by letters, digits, _ or -; at most 100 characters'),
  v.check((key) => !TAKEN.includes(key), 'is not a name that can be kept; choose another'),
)
