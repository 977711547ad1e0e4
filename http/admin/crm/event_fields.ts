/** The fields of an event type: what its data is checked against, and where values are written through to. */
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import * as v from 'valibot'
import { parseTarget, targetsOf } from '../../../actors/mod.ts'
import { CustomField, type EventField } from '../../../storage/mod.ts'
import type { Violation } from '../../failure.ts'
import { UNIQUE } from '../../validation.ts'
import { flag } from '../fields.ts'
import { fieldKey, fieldType } from './field_schemas.ts'
import { pathOf, refuseInvalid } from './invalid.ts'

const MOST = 100

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
  v.maxLength(MOST, `must have at most ${MOST} fields`),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    dataset.value.forEach(({ key, type, target }, at) => {
      const before = dataset.value.slice(0, at)
      const twice = (name: 'key' | 'target') =>
        addIssue({ message: 'is there twice', expected: UNIQUE, path: pathOf(String(at), name) })
      if (before.some((other) => other.key === key)) twice('key')
      if (target !== null && before.some((other) => other.target === target)) twice('target')
      const wanted = target === null ? undefined : parseTarget(target)?.type
      if (wanted && wanted !== type) {
        addIssue({ message: `must be ${wanted}, as ${target} is`, path: pathOf(String(at), 'type') })
      }
    })
  }),
  v.transform((list) =>
    list.map(({ target, ...rest }): EventField => ({ ...rest, ...(target !== null && { target }) })),
  ),
)

export const shownFields = v.array(
  v.object({ key: v.string(), type: fieldType, required: v.boolean(), target: v.nullable(v.string()) }),
)

/**
 * Custom fields that are written through to must be there, once the company has defined any for that kind of record.
 * @throws {Refusal} VALIDATION_ERROR
 */
export async function mustSuitCustomFields(em: SqlEntityManager, company_id: string, fields: EventField[]) {
  if (!fields.some(({ target }) => target)) return
  const defined = await em.find(CustomField, { company_id })
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
