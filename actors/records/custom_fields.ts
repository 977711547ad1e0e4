/** The custom fields that requests write to contacts, customers and tickets. */
import * as v from 'valibot'
import { dictionary } from '../schema/mod.ts'
import { hasAtMost } from '../values/characters.ts'

/** Characters of all custom fields of a record together, as JSON. */
export const MAX_CUSTOM_FIELDS = 32_768

export const customFields = v.pipe(
  dictionary(v.unknown()),
  v.check(
    (fields) => hasAtMost(JSON.stringify(fields), MAX_CUSTOM_FIELDS),
    `must have at most ${MAX_CUSTOM_FIELDS} characters as JSON`,
  ),
  v.description('Replaces the whole object'),
)
