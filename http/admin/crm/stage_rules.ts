/** Checks of a stage's rules against stored records, so that a move finds no errors in them. */
import { customFieldViolations, requirableField, settableField } from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import type { CheckRules, CustomField, StageRules } from '../../../storage/mod.ts'
import type { Violation } from '../../server/errors/api_error.ts'
import { refuseInvalid } from '../../server/errors/invalid.ts'

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
