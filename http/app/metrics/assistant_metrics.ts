/** Metrics of assistants. */
import type { Registry } from 'prom-client'
import type { AssistantServices, ProjectOptions } from '../../../actors/mod.ts'
import { counter } from '../../metrics/instruments.ts'

type Observers = {
  turnEnded: NonNullable<ProjectOptions['assistantTurnEnded']>
  budgetRefused: NonNullable<AssistantServices['budgetRefused']>
}

/** Passed to the actors and to those who ask models, which report through it. */
export function assistantMetrics(registry: Registry): Observers {
  const turns = counter(registry, 'parley_assistant_turns_total')
  const refusals = counter(registry, 'parley_assistant_budget_refusals_total')
  return {
    turnEnded: (outcome) => turns.inc({ outcome }),
    budgetRefused: (budget) => refusals.inc({ budget }),
  }
}
