/** The custom fields in the bodies of requests that write contacts, customers and tickets. */
import * as v from 'valibot'
import { hasAtMost, MAX_CUSTOM_FIELDS } from '../../actors/mod.ts'
import { dictionary } from '../server/schema/fields.ts'

export const customFields = v.pipe(
  dictionary(v.unknown()),
  v.check(
    (fields) => hasAtMost(JSON.stringify(fields), MAX_CUSTOM_FIELDS),
    `must have at most ${MAX_CUSTOM_FIELDS} characters as JSON`,
  ),
  v.description('Replaces the whole object'),
)
