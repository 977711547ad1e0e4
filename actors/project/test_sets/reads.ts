import {
  type AssistantTestRun,
  type AssistantTestSet,
  countTestSets,
  countUnfinishedTestRuns,
  readOfferedTools,
  readTestRuns,
  readTestRunsBeyond,
  readTestSets,
  type TestRunRow,
} from '../../../storage/mod.ts'
import type { ReadKind } from '../turn/records.ts'

/** Runs that a set keeps. */
const MAX_RUNS_OF_SET = 200

type SetKeys = { ids: Set<string>; names: Map<string, Set<string>>; is_counted: boolean }

type SetRecords = { by_id: Map<string, AssistantTestSet>; count: number }

/** Test sets by id, and by the id of the assistant and the name. `is_counted`: their number is wanted. */
export const testSetReads: ReadKind<SetKeys, SetRecords> = {
  keys: () => ({ ids: new Set(), names: new Map(), is_counted: false }),
  found: () => ({ by_id: new Map(), count: 0 }),
  async read(found, { ids, names, is_counted }, { database, state: { project_id } }) {
    const named = [...names].flatMap(([id, own]) => [...own].map((name) => [id, name] as const))
    const [rows, count] = await Promise.all([
      readTestSets(database, project_id, [...ids], named),
      is_counted ? countTestSets(database, project_id) : 0,
    ])
    for (const row of rows) found.by_id.set(row._id, row)
    found.count = count
  },
}

type RunKeys = { ids: Set<string>; set_ids: Set<string>; assistant_ids: Set<string> }

type RunRecords = {
  by_id: Map<string, TestRunRow | AssistantTestRun>
  /** Those of the project that have not ended. */
  unfinished: number
  /** Ended runs of a set that make room for another one, by the id of the set. */
  surplus: Map<string, string[]>
  /** Names of the tools of an assistant, by its id. */
  tools: Map<string, string[]>
}

/** Runs by id; for a new run of a set, what has to be known before it. */
export const testRunReads: ReadKind<RunKeys, RunRecords> = {
  keys: () => ({ ids: new Set(), set_ids: new Set(), assistant_ids: new Set() }),
  found: () => ({ by_id: new Map(), unfinished: 0, surplus: new Map(), tools: new Map() }),
  async read(found, { ids, set_ids, assistant_ids }, { database, state: { project_id } }) {
    const [rows, unfinished] = await Promise.all([
      readTestRuns(database, project_id, [...ids]),
      set_ids.size > 0 ? countUnfinishedTestRuns(database, project_id) : 0,
      ...[...set_ids].map(async (id) =>
        found.surplus.set(id, await readTestRunsBeyond(database, id, MAX_RUNS_OF_SET - 1)),
      ),
      ...[...assistant_ids].map(async (id) => {
        const tools = await readOfferedTools(database, project_id, id)
        found.tools.set(
          id,
          tools.map(({ name }) => name),
        )
      }),
    ])
    for (const row of rows) found.by_id.set(row._id, row)
    found.unfinished = unfinished
  },
}
