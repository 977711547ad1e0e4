/** The fields of an event type: the rules for its data, and the targets to which values are written through. */
import * as v from 'valibot'
import { across, fieldsOf, itemsOf, parseTarget, repeated, targetsOf } from '../../../actors/mod.ts'
import type { CustomField, EventField } from '../../../storage/mod.ts'
import type { Violation } from '../../server/errors/api_error.ts'
import { refuseInvalid } from '../../server/errors/invalid.ts'
import { UNIQUE } from '../../server/parse/validation.ts'
import { flag } from '../fields.ts'
import { fieldKey, fieldType } from './field_schemas.ts'

const MAX = 100

const target = v.pipe(
  v.string('must be a string'),
  v.check(
    (text) => parseTarget(text) !== undefined,
    'must be ticket.<field> or contact.<field>, such as ticket.amount',
  ),
)

const field = v.strictObject({
  key: fieldKey,
  type: fieldType,
  required: v.optional(flag, false),
  target: v.optional(v.nullable(target), null),
})

export const eventFields = v.pipe(
  v.array(field, 'must be a list of fields'),
  v.maxLength(MAX, `must have at most ${MAX} fields`),
  across((value, say) => {
    const list = itemsOf(value).map(fieldsOf)
    for (const name of ['key', 'target']) {
      for (const at of repeated(list.map((one) => one[name]))) say('is there twice', [at, name], UNIQUE)
    }
    list.forEach(({ type, target }, at) => {
      const target_type = typeof target === 'string' ? parseTarget(target)?.type : undefined
      if (target_type && v.is(fieldType, type) && target_type !== type)
        say(`must be ${target_type}, as ${target} is`, [at, 'type'])
    })
  }),
  v.transform((list) =>
    list.map(({ target, ...rest }): EventField => ({ ...rest, ...(target !== null && { target }) })),
  ),
)

export const fieldRecords = v.array(
  v.object({ key: v.string(), type: fieldType, required: v.boolean(), target: v.nullable(v.string()) }),
)

/**
 * Refuses targets that name an undefined custom field, once the company has defined any for that kind of record.
 * @throws {Refusal} VALIDATION_ERROR
 */
export function mustSuitCustomFields(fields: EventField[], defined: CustomField[]): void {
  const violations: Violation[] = []
  fields.forEach(({ type, target }, at) => {
    const named = target && parseTarget(target)
    if (!named || named.type) return
    const owned = defined.filter(({ owner }) => owner === named.owner)
    const custom = owned.find(({ key }) => key === named.field)
    if (custom && custom.type !== type) {
      const message = `must be ${custom.type}, as the custom field ${custom.key} is`
      violations.push({ path: `fields.${at}.type`, message, code: 'invalid_value' })
    } else if (!custom && owned.length > 0) {
      const known = [...targetsOf(named.owner), ...owned.map(({ key }) => key)].map((key) => `${named.owner}.${key}`)
      const message = `names no field of a ${named.owner}; there are ${known.sort().join(', ')}`
      violations.push({ path: `fields.${at}.target`, message, code: 'invalid_value' })
    }
  })
  refuseInvalid(violations)
}
