import type { TurnStep } from '../../storage/mod.ts'
import { decimalOf, trillionthsOf } from '../models/mod.ts'

/** Tokens and money of all steps. `cost`: null where no step has one. */
export function totalsOf(steps: readonly TurnStep[]) {
  const sum = (field: 'input_tokens' | 'output_tokens') => steps.reduce((all, step) => all + (step[field] ?? 0), 0)
  const costs = steps.flatMap((step) => step.cost ?? [])
  const cost = costs.length > 0 ? decimalOf(costs.reduce((all, one) => all + trillionthsOf(one), 0n)) : null
  return { input_tokens: sum('input_tokens'), output_tokens: sum('output_tokens'), cost }
}
