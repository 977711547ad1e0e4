/**
 * Budgets of a call of a model: the assistant's for the conversation and for the day, the project's for the day and the month. Days and
 * months are of UTC.
 */
import {
  type AssistantBudget,
  type Database,
  type ProjectAssistantBudget,
  reserveSpending,
  type SpendingScope,
  type Spent,
  settleSpending,
} from '../../storage/mod.ts'
import {
  costOf,
  estimateTokens,
  type ModelAnswer,
  type ModelDescription,
  type ModelFailure,
  type ModelQuestion,
  trillionthsOf,
} from '../models/mod.ts'

export type Spender = {
  project_id: string
  assistant_id: string
  /** Null: outside of a conversation. */
  ticket_id: string | null
  budget: AssistantBudget | null | undefined
  project_budget: ProjectAssistantBudget | null | undefined
}

/** Reserved for a call. `settle` replaces it by what the outcome has spent. */
export type Reservation = { settle(outcome: ModelAnswer | ModelFailure): Promise<Spent> }

/** Reserves for one call; returns the name of the budget that has no room. */
export async function reserve(
  database: Database,
  { project_id, assistant_id, ticket_id, budget, project_budget }: Spender,
  { price }: Pick<ModelDescription, 'price'>,
  question: ModelQuestion,
  now: Date,
): Promise<Reservation | { full: 'conversation' | 'day' | 'month' }> {
  const day = now.toISOString().slice(0, 10)
  const scopes = [
    ...(ticket_id === null
      ? []
      : [scopeOf(`ticket:${ticket_id}`, '', budget?.conversation_tokens, budget?.conversation_cost)]),
    scopeOf(`assistant:${assistant_id}`, day, budget?.day_tokens, budget?.day_cost),
    scopeOf('project', day, project_budget?.day_tokens, project_budget?.day_cost),
    scopeOf('project', day.slice(0, 7), project_budget?.month_tokens, project_budget?.month_cost),
  ]
  const priced = (input_tokens: number, output_tokens: number): Spent => ({
    tokens: input_tokens + output_tokens,
    cost: price ? costOf({ input_tokens, output_tokens }, price) : 0n,
  })
  const estimated = estimateTokens(question)
  const is_limited = scopes.some(({ max_tokens, max_cost }) => max_tokens !== null || max_cost !== null)
  const reserved = is_limited ? priced(estimated, question.max_output_tokens) : null
  if (reserved) {
    const full = await reserveSpending(database, project_id, scopes, reserved)
    if (full) return { full: full.period === '' ? 'conversation' : full.period.length === 7 ? 'month' : 'day' }
  }
  return {
    async settle(outcome) {
      const spent =
        outcome.kind === 'answer'
          ? priced(outcome.usage.input_tokens, outcome.usage.output_tokens)
          : outcome.maybe_paid
            ? priced(estimated, 0)
            : { tokens: 0, cost: 0n }
      if (reserved || spent.tokens > 0) await settleSpending(database, project_id, scopes, reserved, spent)
      return spent
    },
  }
}

function scopeOf(scope: string, period: string, max_tokens?: number, max_cost?: string): SpendingScope {
  return {
    scope,
    period,
    max_tokens: max_tokens ?? null,
    max_cost: max_cost === undefined ? null : trillionthsOf(max_cost),
  }
}
