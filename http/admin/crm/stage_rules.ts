/**
 * The rules of a stage, which run when a ticket is moved into it. They are checked here, so that a move finds no errors
 * in them.
 */
import * as v from 'valibot'
import { customFieldViolations, requirableField, settableField } from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import type { CheckRules, CustomField, StageRules } from '../../../storage/mod.ts'
import type { Violation } from '../../server/api_error.ts'
import { refuseInvalid } from '../../server/invalid.ts'
import { across, fieldsOf, itemsOf, repeated } from '../../server/schema/across.ts'
import { dictionary } from '../../server/schema/fields.ts'
import { UNIQUE } from '../../server/validation.ts'
import { objectId } from '../fields.ts'

const MOST = 100

function distinct<Item extends v.GenericSchema>(item: Item) {
  return v.pipe(
    v.array(item, 'must be a list'),
    v.maxLength(MOST, `must have at most ${MOST} items`),
    across((list, say) => {
      for (const at of repeated(itemsOf(list))) say('is there twice', [at], UNIQUE)
    }),
  )
}

const requirable = v.pipe(
  v.string('must be a string'),
  v.check((name) => requirableField(name) !== undefined, 'is no field of a ticket that a stage can require'),
)

const assignments = v.pipe(
  dictionary(v.unknown()),
  across((values, say) => {
    for (const [name, value] of Object.entries(fieldsOf(values))) {
      const field = settableField(name)
      if (!field) say('is no field of a ticket that a stage can set', [name])
      else if (value !== null && field.value && !field.value.accepts(value)) {
        say(`must be ${field.value.expected}, or null for no value`, [name])
      } else if (field.is_custom && !isPlain(value)) {
        say('must be a text, a number, true, false, a list of texts, or null', [name])
      }
    }
  }),
)

export const stageRules = v.pipe(
  v.strictObject({
    require_fields: v.optional(
      v.pipe(
        distinct(requirable),
        v.description('Fields that must have a value, including the values of the move itself'),
      ),
    ),
    set_fields: v.optional(v.pipe(assignments, v.description('Fields that get these values'))),
    assign_to: v.optional(v.pipe(distinct(objectId), v.description('Users who get tickets in turn'))),
    add_tag_ids: v.optional(distinct(objectId)),
    close_with: v.optional(v.picklist(['won', 'lost'], 'must be won or lost')),
  }),
  v.description('Run in this order: require, set, assign, tag, close'),
)

function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string')
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

/**
 * Checks the rules that depend on stored records. `pathOf` returns the path of a stage's rules in the body.
 * @throws {Refusal} VALIDATION_ERROR, ASSIGNEE_NOT_FOUND or TAG_NOT_FOUND
 */
export function mustFit(pathOf: (at: number) => string): CheckRules {
  return (all, { ticket_fields, users, tags }) => {
    const defined = new Map(ticket_fields.map((field) => [field.key, field]))
    refuseInvalid(all.flatMap(({ at, rules }) => customViolations(pathOf(at), rules, defined)))

    const assigned = all.flatMap(({ rules, assigned_before }) =>
      (rules.assign_to ?? []).filter((id) => !assigned_before.includes(id)),
    )
    const strangers = absent(assigned, users)
    if (strangers.length > 0) throw new Refusal('ASSIGNEE_NOT_FOUND', { details: { assign_to: strangers } })

    const unknown = absent(
      all.flatMap(({ rules }) => rules.add_tag_ids ?? []),
      tags,
    )
    if (unknown.length > 0) throw new Refusal('TAG_NOT_FOUND', { details: { tag_ids: unknown } })
  }
}

function customViolations(path: string, rules: StageRules, defined: Map<string, CustomField>): Violation[] {
  const violations: Violation[] = []
  const check = (at: string, key: string, value: unknown) => {
    const found = customFieldViolations({ [key]: value }, defined)
    for (const { message, code } of found) violations.push({ path: `${path}.${at}`, message, code })
  }
  rules.require_fields?.forEach((name, at) => {
    if (requirableField(name)?.is_custom) check(`require_fields.${at}`, name, null)
  })
  for (const [name, value] of Object.entries(rules.set_fields ?? {})) {
    if (settableField(name)?.is_custom) check(`set_fields.${name}`, name, value)
  }
  return violations
}

function absent(ids: string[], there: Set<string>): string[] {
  return [...new Set(ids)].filter((id) => !there.has(id))
}
