import { type AssistantCatalogue, AssistantTestRun, blank, objectId, type TestCase } from '../../../storage/mod.ts'
import { builtInNames, modelNames } from '../../assistants/mod.ts'
import { toTestRunSummary } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import { catalogueReads } from '../assistants/part.ts'
import type { Audited } from '../turn/audit.ts'
import type { Command } from '../turn/feature.ts'
import { testRunReads, testSetReads } from './reads.ts'
import { testSetOf } from './save_test_set.ts'

/** Runs of a project that are under way or wait. */
const MAX_UNFINISHED = 20

const auditedTestRun: Audited<{ type: string }> = {
  target: 'assistant_test_run',
  answered: (answer) => (answer as { run?: object }).run ?? null,
}

type StartTestRun = {
  type: 'start_test_run'
  test_set_id: string
  assistant_id: string
  /** Default: that of the set. */
  runs?: number | undefined
  held?: boolean | undefined
}

/** @throws {Refusal} NOT_FOUND, TEST_RUN_LIMIT_REACHED */
const startTestRun = {
  audit: auditedTestRun,
  reads(reads, { test_set_id, assistant_id, held }) {
    if (held) reads.of(catalogueReads).assistants.add(assistant_id)
    reads.of(testSetReads).ids.add(test_set_id)
    const runs = reads.of(testRunReads)
    runs.set_ids.add(test_set_id)
    runs.assistant_ids.add(assistant_id)
  },
  run(turn, { test_set_id, assistant_id, runs, held }) {
    const set = testSetOf(turn, assistant_id, test_set_id)
    const records = turn.records.of(testRunReads)
    if (records.unfinished >= MAX_UNFINISHED) throw refuse('TEST_RUN_LIMIT_REACHED', { limit: MAX_UNFINISHED })
    const tools = records.tools.get(assistant_id) ?? []
    const known = new Set([...tools, ...modelNames(tools), ...builtInNames])
    const { company_id, project_id, name, cases, case_count, chat_users } = set
    const tries = runs ?? set.runs
    const row = blank(AssistantTestRun, {
      ...{ _id: objectId(), company_id, project_id, assistant_id, test_set_id, name },
      ...{ runs: tries, least_pass_rate: set.pass_rate, cases, case_count, chat_users },
      unknown_tools: toolsIn(cases).filter((tool) => !known.has(tool)),
      held_versions: held ? heldBy(turn.records.of(catalogueReads), assistant_id) : null,
      ...{ state: 'queued', total: case_count * tries, passed: 0, failed: 0, input_tokens: 0, output_tokens: 0 },
      created_at: turn.now,
    })
    turn.insert(AssistantTestRun, row)
    records.unfinished += 1
    records.by_id.set(row._id, row)
    for (const _id of records.surplus.get(test_set_id) ?? []) turn.remove(AssistantTestRun, { _id })
    records.surplus.delete(test_set_id)
    turn.tell(`test_runs/${turn.key}`, { type: 'begin', run_id: row._id })
    return { body: { run: toTestRunSummary(row) } }
  },
} satisfies Command<StartTestRun>

type CancelTestRun = { type: 'cancel_test_run'; run_id: string; test_set_id: string; assistant_id: string }

/** The runner stops it; one that is over stays as it is. @throws {Refusal} NOT_FOUND */
const cancelTestRun = {
  reads(reads, { run_id }) {
    reads.of(testRunReads).ids.add(run_id)
  },
  run(turn, { run_id, test_set_id, assistant_id }) {
    const row = turn.records.of(testRunReads).by_id.get(run_id)
    if (row?.test_set_id !== test_set_id || row.assistant_id !== assistant_id) throw refuse('NOT_FOUND')
    if (row.ended_at == null) turn.tell(`test_runs/${turn.key}`, { type: 'cancel', run_id })
    return { body: { run: toTestRunSummary(row) } }
  },
} satisfies Command<CancelTestRun>

export const testRunCommands = { start_test_run: startTestRun, cancel_test_run: cancelTestRun }

/** Versions that the blocks of an assistant hold. */
function heldBy({ links, blocks }: AssistantCatalogue, assistant_id: string) {
  return (links.get(assistant_id) ?? []).flatMap(({ block_id }) => {
    const version_id = blocks.get(block_id)?.held_version_id
    return version_id ? [{ block_id, version_id }] : []
  })
}

/** Tools that expectations name. */
function toolsIn(cases: readonly TestCase[]): string[] {
  const named = cases.flatMap(({ steps }) =>
    steps.flatMap(({ expect: { tools = [], no_tools = [] } = {} }) => [...tools, ...no_tools]),
  )
  return [...new Set(named)].slice(0, MAX_UNKNOWN)
}

/** Tools that a run names as unknown. */
const MAX_UNKNOWN = 200
