import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { TestCase } from './assistant_test_set.ts'

export type TestRunState = 'queued' | 'running' | 'done' | 'canceled' | 'failed'

/** A try of all cases of a test set, which is kept as it was. The project makes the row; afterwards only its runner writes it. */
export const AssistantTestRun = defineEntity({
  name: 'AssistantTestRun',
  tableName: 'assistant_test_run',
  properties: {
    _id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    assistant_id: p.text(),
    test_set_id: p.text(),
    /** Those of the set; `runs` may be the run's own. */
    name: p.text(),
    runs: p.integer(),
    /** The `pass_rate` of the set. */
    least_pass_rate: p.double().$type<number>(),
    cases: p.json<TestCase[]>().columnType('json'),
    case_count: p.integer(),
    chat_users: p.array<string>().columnType('text[]'),
    /** Versions that it tries instead of the current ones. Null: it was not asked to. */
    held_versions: p.json<{ block_id: string; version_id: string }[]>().columnType('json').nullable(),
    /** Tools of expectations that the assistant did not have when the run began. */
    unknown_tools: p.array<string>().columnType('text[]'),
    state: p.text().$type<TestRunState>(),
    /** A word for why it failed. */
    reason: p.text().nullable(),
    /** Cases times repetitions. */
    total: p.integer(),
    passed: p.integer(),
    failed: p.integer(),
    input_tokens: p.bigint('number'),
    output_tokens: p.bigint('number'),
    cost: p.decimal('string').columnType('numeric').nullable(),
    cost_currency: p.text().nullable(),
    created_at: p.datetime(3),
    started_at: p.datetime(3).nullable(),
    ended_at: p.datetime(3).nullable(),
  },
})

export type AssistantTestRun = InferEntity<typeof AssistantTestRun>
