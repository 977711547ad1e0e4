/** The plan for checking an event's data and writing it through: made once per event type, used for each event. */
import type { CrmEventType, CustomField, EventField } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import { columnValue } from '../definitions/column_values.ts'
import { customFieldViolations } from '../definitions/custom_fields.ts'
import type { Definitions } from '../definitions/definitions.ts'
import { expected, fits } from '../definitions/field_value.ts'
import { storedTarget, type Target } from '../definitions/targets.ts'

type Data = Record<string, unknown>

export type EventPlan = {
  required: string[]
  fields: PlannedField[]
  /** The fields that are written through. */
  written: { key: string; target: Target }[]
}

type PlannedField = {
  key: string
  /** Never called with `null`, which means no value and fits any type. */
  accepts(value: unknown): boolean
  expected: string
}

/** Cached plans. A changed type is another object, because definitions are read again as a whole. */
const plans = new WeakMap<CrmEventType, EventPlan>()

/** The plan of a type, made on first use. */
export function planOf(type: CrmEventType, { custom_fields }: Pick<Definitions, 'custom_fields'>): EventPlan {
  let plan = plans.get(type)
  if (!plan) {
    const targets = type.fields.map(({ target }) => (target === undefined ? undefined : storedTarget(target)))
    plan = {
      required: type.fields.filter(({ required }) => required).map(({ key }) => key),
      fields: type.fields.map((field, at) => {
        const target = targets[at]
        return plannedField(field, target, target && custom_fields[target.owner])
      }),
      written: type.fields.flatMap(({ key }, at) => (targets[at] ? [{ key, target: targets[at] }] : [])),
    }
    plans.set(type, plan)
  }
  return plan
}

function plannedField(
  { key, type }: EventField,
  target: Target | undefined,
  custom: ReadonlyMap<string, CustomField> | undefined,
): PlannedField {
  const column = target && columnValue(target)
  if (column) return { key, accepts: (value) => fits(type, value) && column.accepts(value), expected: column.expected }
  // Without a definition of the custom field, the event's type decides.
  const defined = target && custom?.get(target.field)
  if (!defined) return { key, accepts: (value) => fits(type, value), expected: expected[type] }
  const own = new Map([[defined.key, defined]])
  return {
    key,
    accepts: (value) => fits(type, value) && customFieldViolations({ [defined.key]: value }, own).length === 0,
    expected: defined.options ? `one of ${defined.options.join(', ')}` : expected[defined.type],
  }
}

/**
 * @throws {Refusal} MISSING_REQUIRED_FIELDS, or when none is missing INVALID_FIELD_VALUE; `details.fields` has the keys
 */
export function checkData(plan: EventPlan, data: Data): void {
  const missing = plan.required.filter((key) => !Object.hasOwn(data, key))
  if (missing.length > 0) {
    const message = `The event lacks ${missing.join(', ')}, which its type requires; null says that there is no value.`
    throw refuse('MISSING_REQUIRED_FIELDS', { fields: missing }, message)
  }
  let wrong: PlannedField[] | undefined
  for (const field of plan.fields) {
    if (!Object.hasOwn(data, field.key)) continue
    const value = data[field.key]
    if (value === null || field.accepts(value)) continue
    if (wrong) wrong.push(field)
    else wrong = [field]
  }
  if (!wrong) return
  const message = wrong.map(({ key, expected }) => `data.${key} must be ${expected}`).join('; ')
  throw refuse('INVALID_FIELD_VALUE', { fields: wrong.map(({ key }) => key) }, `${message}.`)
}
