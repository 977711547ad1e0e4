/**
 * Fields of a ticket as a stage's rules name them. A column has its own name, and any other name is a custom field, as
 * in the targets of events.
 */
import { hasAtMost } from '../../values/characters.ts'
import { type ColumnValue, columnValue } from './column_values.ts'
import { parseTarget, storedTarget, type Target } from './targets.ts'

/** Maximum characters of each text that a ticket gets from its stage. */
export const MAX_STAGE_TEXT_LENGTH = 5000

/** The texts that a move sets. */
export const stageTexts = ['prioridad', 'contexto', 'problema', 'recomendaciones'] as const

const stageText: ColumnValue = {
  accepts: (value) => typeof value === 'string' && value !== '' && hasAtMost(value, MAX_STAGE_TEXT_LENGTH),
  expected: `a text of 1 to ${MAX_STAGE_TEXT_LENGTH} characters`,
}

export type RuleField = {
  /** True for a key of `custom_fields`, false for a column. */
  is_custom: boolean
  /** The values a rule may set, besides `null`; undefined for a custom field. */
  value: ColumnValue | undefined
}

/** The field that a rule names; undefined when no rule can set such a field. */
export function settableField(name: string): RuleField | undefined {
  if ((stageTexts as readonly string[]).includes(name)) return { is_custom: false, value: stageText }
  return fieldOf(parseTarget(`ticket.${name}`))
}

/** True for a field that a stored rule sets in the custom fields. It stays one when a later release gives tickets a field of its name. */
export function isCustom(name: string): boolean {
  if (name === 'assigned_to' || (stageTexts as readonly string[]).includes(name)) return false
  return fieldOf(storedTarget(`ticket.${name}`))?.is_custom === true
}

function fieldOf(target: Target | undefined): RuleField | undefined {
  if (!target) return undefined
  const value = columnValue(target)
  return { is_custom: value === undefined, value }
}

/** The same for required fields, which also include the assignee. */
export function requirableField(name: string): RuleField | undefined {
  return name === 'assigned_to' ? { is_custom: false, value: undefined } : settableField(name)
}
