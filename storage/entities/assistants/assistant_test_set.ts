import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** Facts about the turn of the assistant that follows a step. */
export type TestExpectation = {
  outcome?: 'answered' | 'handed_over' | undefined
  /** Tools that are called, and tools that are not. */
  tools?: string[] | undefined
  no_tools?: string[] | undefined
  /** Texts that the answer has; of a list, one of them is enough. */
  includes?: (string | string[])[] | undefined
  excludes?: string[] | undefined
  /** ISO 639-1. */
  language?: string | undefined
}

/** `user`: the message of the person, or the messages of one burst. */
export type TestStep = { user: string | string[]; expect?: TestExpectation | undefined }

/** The answer of a tool to the calls whose arguments have at least these. */
export type TestFixture = { tool: string; arguments?: Record<string, unknown> | undefined; result: unknown }

/** A conversation that an assistant has in a test. `chat_user`: the contact to whom tools are bound. */
export type TestCase = {
  name: string
  chat_user?: string | undefined
  steps: TestStep[]
  fixtures?: TestFixture[] | undefined
}

/** Expectations of an assistant. */
export const AssistantTestSet = defineEntity({
  name: 'AssistantTestSet',
  tableName: 'assistant_test_set',
  properties: {
    _id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    assistant_id: p.text(),
    /** Unique among the sets of the assistant. */
    name: p.text(),
    /** Tries of each case in a run. */
    runs: p.integer(),
    /** The least share of tries that have to pass. */
    pass_rate: p.double().$type<number>(),
    cases: p.json<TestCase[]>().columnType('json'),
    case_count: p.integer(),
    /** The contacts of the cases. */
    chat_users: p.array<string>().columnType('text[]'),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type AssistantTestSet = InferEntity<typeof AssistantTestSet>
