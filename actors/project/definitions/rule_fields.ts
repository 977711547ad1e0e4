/**
 * Fields of a ticket as the rules of a stage name them: a column by its own name, any other name is that of a custom
 * field, as in the targets of events.
 */
import { hasAtMost } from '../../characters.ts'
import { type ColumnValue, columnValue } from './column_values.ts'
import { parseTarget } from './targets.ts'

/** Characters of each of the texts that a ticket has of its stage. */
export const LONGEST_STAGE_TEXT = 5000

/** The texts that a move brings along. */
export const stageTexts = ['prioridad', 'contexto', 'problema', 'recomendaciones'] as const

const stageText: ColumnValue = {
  accepts: (value) => typeof value === 'string' && value !== '' && hasAtMost(value, LONGEST_STAGE_TEXT),
  expected: `a text of 1 to ${LONGEST_STAGE_TEXT} characters`,
}

export type RuleField = {
  /** Where it is not a column: a key of `custom_fields`. */
  is_custom: boolean
  /** The values a rule may set, besides `null`; undefined where it is a custom field. */
  value: ColumnValue | undefined
}

/** The field that a rule names, or undefined when it is nothing that can be set. */
export function settableField(name: string): RuleField | undefined {
  if ((stageTexts as readonly string[]).includes(name)) return { is_custom: false, value: stageText }
  const target = parseTarget(`ticket.${name}`)
  if (!target) return undefined
  const value = columnValue(target)
  return { is_custom: value === undefined, value }
}

/** The same for fields that must have a value; whose the ticket is may be required too. */
export function requirableField(name: string): RuleField | undefined {
  return name === 'assigned_to' ? { is_custom: false, value: undefined } : settableField(name)
}
