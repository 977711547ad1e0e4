import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** `step`: from 1. */
export type TestFailure = {
  step: number
  kind: 'turn' | 'outcome' | 'tools' | 'no_tools' | 'includes' | 'excludes' | 'language'
  expected: string
  found: string
}

export type TestToolCall = { name: string; arguments: string; result: string; error: string | null }

/** The turn of the assistant after a step. */
export type TestedStep = {
  outcome: 'answered' | 'handed_over' | 'failed'
  reason: string | null
  answer: string | null
  tool_calls: TestToolCall[]
}

/** The outcome of one try of one case. */
export const AssistantTestResult = defineEntity({
  name: 'AssistantTestResult',
  tableName: 'assistant_test_result',
  properties: {
    run_id: p.text().primary(),
    /** The place in the order of tries: first all cases once, then again. */
    position: p.integer().primary(),
    company_id: p.text(),
    project_id: p.text(),
    chat_user: p.text().nullable(),
    case_name: p.text(),
    /** From 1. */
    repetition: p.integer(),
    has_passed: p.boolean(),
    /** A word for why there is no turn of a step. */
    reason: p.text().nullable(),
    failures: p.json<TestFailure[]>().columnType('json'),
    /** Tools that were called without a fixture. */
    missing_fixtures: p.array<string>().columnType('text[]'),
    steps: p.json<TestedStep[]>().columnType('json'),
    input_tokens: p.integer(),
    output_tokens: p.integer(),
    cost: p.decimal('string').columnType('numeric').nullable(),
    cost_currency: p.text().nullable(),
    started_at: p.datetime(3),
    ended_at: p.datetime(3),
  },
})

export type AssistantTestResult = InferEntity<typeof AssistantTestResult>
