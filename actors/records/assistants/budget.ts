/** Limits on what assistants may spend, as the API shows and takes them. */
import * as v from 'valibot'
import type { AssistantBudget, ProjectAssistantBudget } from '../../../storage/mod.ts'
import { isAmount } from '../../costs/mod.ts'
import { across, fieldsOf } from '../../schema/mod.ts'

/** Tokens and amounts by which nobody is bound. */
const MAX_TOKENS = 1_000_000_000_000

const tokens = v.optional(
  v.pipe(
    v.number(),
    v.integer('must be a whole number'),
    v.minValue(1),
    v.maxValue(MAX_TOKENS),
    v.description('Tokens of questions and answers'),
  ),
)

const cost = v.optional(
  v.pipe(
    v.number(),
    v.check(
      (value) => isAmount(value) && value > 0,
      'must be greater than 0 and at most 1000000000, with at most 6 places after the point',
    ),
    v.description('An amount in the currency of the prices of the models'),
  ),
)

const hasLimit = <Input>(names: readonly string[]) =>
  across<Input>(
    (value, say) => {
      const fields = fieldsOf(value)
      if (names.every((name) => fields[name] === undefined))
        say(`must have one of ${names.join(', ')}; null is no budget`)
    },
    { at_least_one_of: names },
  )

const of_assistant = { conversation_tokens: tokens, conversation_cost: cost, day_tokens: tokens, day_cost: cost }
const of_project = { day_tokens: tokens, day_cost: cost, month_tokens: tokens, month_cost: cost }

export const assistantBudget = v.pipe(v.strictObject(of_assistant), hasLimit(Object.keys(of_assistant)))
export const projectAssistantBudget = v.pipe(v.strictObject(of_project), hasLimit(Object.keys(of_project)))

const shown_tokens = v.optional(v.number())
const shown_cost = v.optional(v.number())

export const assistantBudgetRecord = v.object({
  ...{ conversation_tokens: shown_tokens, conversation_cost: shown_cost },
  ...{ day_tokens: shown_tokens, day_cost: shown_cost },
})
export const projectAssistantBudgetRecord = v.object({
  ...{ day_tokens: shown_tokens, day_cost: shown_cost },
  ...{ month_tokens: shown_tokens, month_cost: shown_cost },
})

type Limits = AssistantBudget & ProjectAssistantBudget
/** Limits with amounts as numbers. They are stored as decimals, which sums compare exactly. */
type Amounts<Budget> = { [Name in keyof Budget]?: number | undefined }

/** The budget as it is stored. */
export function storedBudget<Budget extends Limits>(budget: Amounts<Budget>): Budget {
  const entries = Object.entries(budget).flatMap(([name, limit]) =>
    limit === undefined ? [] : [[name, name.endsWith('_cost') ? String(limit) : limit]],
  )
  return Object.fromEntries(entries)
}

/** The budget as it is shown. */
export function shownBudget<Budget extends Limits>(budget: Budget | null | undefined): Amounts<Budget> | null {
  if (!budget) return null
  return Object.fromEntries(Object.entries(budget).map(([name, limit]) => [name, Number(limit)])) as Amounts<Budget>
}

/** The limits of money in a budget. */
export function costLimitsOf(budget: object | null | undefined): string[] {
  return Object.entries(budget ?? {}).flatMap(([name, limit]) =>
    name.endsWith('_cost') && limit !== undefined ? [name] : [],
  )
}
