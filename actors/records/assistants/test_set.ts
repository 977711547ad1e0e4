/** Expectations of an assistant, as the API shows and takes them. */
import * as v from 'valibot'
import type { AssistantTestSet } from '../../../storage/mod.ts'
import {
  across,
  composedText,
  fieldsOf,
  type InMemory,
  itemsOf,
  line,
  maxCharacters,
  named,
  recordId,
  repeated,
  text,
  timestamp,
  valuesOf,
} from '../../schema/mod.ts'
import { judgedLanguages } from '../../values/judged_languages.ts'
import { toolFixtures } from './trial.ts'
import { testSetBounds, trialBounds } from './trial_bounds.ts'

const MAX_RUNS = 20
const MAX_ALTERNATIVES = 10
const MAX_EXPECTED_LENGTH = 500
const MAX_TOOL_LENGTH = 120

const said = v.pipe(
  v.string(),
  maxCharacters(trialBounds.text),
  v.check((one) => one.trim() !== '', 'must not be empty'),
)

const fact = v.pipe(
  v.string(),
  composedText(),
  maxCharacters(MAX_EXPECTED_LENGTH),
  v.check((one) => one.trim() !== '', 'must not be empty'),
)

const tools = v.pipe(v.array(text(MAX_TOOL_LENGTH)), v.maxLength(testSetBounds.expected))

const expectation = v.strictObject({
  outcome: v.optional(v.picklist(['answered', 'handed_over'])),
  tools: v.optional(v.pipe(tools, v.description('Tools that are called, each at least once'))),
  no_tools: v.optional(v.pipe(tools, v.description('Tools that are not called'))),
  includes: v.optional(
    v.pipe(
      v.array(
        v.union(
          [fact, v.pipe(v.array(fact), v.minLength(1), v.maxLength(MAX_ALTERNATIVES))],
          `must be a text, or a list of 1 to ${MAX_ALTERNATIVES} texts, each with at most ${MAX_EXPECTED_LENGTH} characters`,
        ),
      ),
      v.maxLength(testSetBounds.expected),
      v.description('Texts that the answer has. Of a list, one of them is enough'),
    ),
  ),
  excludes: v.optional(
    v.pipe(v.array(fact), v.maxLength(testSetBounds.expected), v.description('Texts that the answer does not have')),
  ),
  language: v.optional(v.pipe(v.picklist(judgedLanguages), v.description('The language of the answer'))),
})

const step = v.strictObject({
  user: v.pipe(
    v.union(
      [said, v.pipe(v.array(said), v.minLength(1), v.maxLength(testSetBounds.burst))],
      `must be a text, or a list of 1 to ${testSetBounds.burst} texts, each with at most ${trialBounds.text} characters`,
    ),
    v.description('The message of the person, or the messages of one burst'),
  ),
  expect: v.optional(v.pipe(expectation, v.description('Facts about the turn that follows'))),
})

const test_case = v.strictObject({
  name: line(testSetBounds.name),
  chat_user: v.optional(v.pipe(recordId, v.description('The contact who is the user, to whom tools are bound'))),
  steps: v.pipe(v.array(step), v.minLength(1), v.maxLength(testSetBounds.steps)),
  fixtures: v.optional(toolFixtures),
})

const name = line(testSetBounds.name)

/** Tries of each case in a run. */
const runs = v.pipe(v.number(), v.integer('must be a whole number'), v.minValue(1), v.maxValue(MAX_RUNS))

/** The body that creates or replaces a test set. */
export const newTestSet = v.strictObject({
  name,
  runs: v.optional(v.pipe(runs, v.description('Tries of each case in a run')), 1),
  pass_rate: v.optional(
    v.pipe(v.number(), v.minValue(0), v.maxValue(1), v.description('The least share of tries that have to pass')),
    1,
  ),
  cases: v.pipe(
    v.array(test_case),
    v.minLength(1),
    v.maxLength(testSetBounds.cases),
    across((list, say) => {
      for (const at of repeated(itemsOf(list).map((one) => fieldsOf(one).name)))
        say('is the name of an earlier case', [at, 'name'], 'unique')
    }),
    v.check(
      (cases) => Buffer.byteLength(JSON.stringify(cases)) <= testSetBounds.json,
      `must have at most ${testSetBounds.json} bytes as JSON`,
    ),
  ),
})

export type NewTestSet = v.InferOutput<typeof newTestSet>

/** The body that appends a case from a conversation. */
export const newTestCase = v.strictObject({
  ticket_id: recordId,
  name: v.optional(v.pipe(name, v.description('A name that is taken gets a number'))),
})

/** The body that starts a run. */
export const newTestRun = v.strictObject({
  runs: v.optional(v.pipe(runs, v.description('How often each case is tried. Default: that of the set'))),
  held: v.optional(
    v.pipe(
      v.boolean(),
      v.description('True: versions that blocks hold now are tried, and those for this set released if it passes'),
    ),
  ),
})

/** Columns that the list shows as they are stored. */
const columns = v.object({
  _id: recordId,
  assistant_id: recordId,
  name: v.string(),
  runs: v.number(),
  pass_rate: v.number(),
  case_count: v.number(),
  created_at: timestamp,
  updated_at: timestamp,
})

/** A test set in a list: without its cases, which may be long. */
export const testSetSummary = named('AssistantTestSetSummary', columns)

/** The shape of a case in answers. */
export const shownCases = v.array(
  v.object({
    name: v.string(),
    chat_user: v.optional(recordId),
    steps: v.array(
      v.object({
        user: v.union([v.string(), v.array(v.string())]),
        expect: v.optional(
          v.object({
            outcome: v.optional(v.picklist(['answered', 'handed_over'])),
            tools: v.optional(v.array(v.string())),
            no_tools: v.optional(v.array(v.string())),
            includes: v.optional(v.array(v.union([v.string(), v.array(v.string())]))),
            excludes: v.optional(v.array(v.string())),
            language: v.optional(v.string()),
          }),
        ),
      }),
    ),
    fixtures: v.optional(
      v.array(
        v.object({
          tool: v.string(),
          arguments: v.optional(v.record(v.string(), v.unknown())),
          result: v.unknown(),
        }),
      ),
    ),
  }),
)

export const testSetRecord = named('AssistantTestSet', v.object({ ...columns.entries, cases: shownCases }))

type TestSetSummaryRecord = InMemory<v.InferOutput<typeof testSetSummary>>
type TestSetRecord = InMemory<v.InferOutput<typeof testSetRecord>>

export function toTestSetSummary(row: Omit<AssistantTestSet, 'cases'>): TestSetSummaryRecord {
  return valuesOf(columns, row)
}

export function toTestSetRecord(row: AssistantTestSet): TestSetRecord {
  return { ...toTestSetSummary(row), cases: row.cases }
}
