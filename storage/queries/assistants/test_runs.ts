import type { Database } from '../../database/database.ts'
import { columnsOf, toRows } from '../../database/read_rows.ts'
import { AssistantTestResult } from '../../entities/assistants/assistant_test_result.ts'
import { AssistantTestRun } from '../../entities/assistants/assistant_test_run.ts'
import type { TestCase } from '../../entities/assistants/assistant_test_set.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { type Page, type PageOptions, toPage } from '../common/keyset.ts'
import { asFarAsFits, isCut } from '../common/page_size.ts'
import { withoutCases } from './test_sets.ts'

type Place = { project_id: string; test_set_id: string }

/** A run without its cases. */
export type TestRunRow = Omit<AssistantTestRun, 'cases'>

/** PostgreSQL gives a `bigint` as text. */
function toRuns<Row extends TestRunRow>(database: Database, rows: Record<string, unknown>[]): Row[] {
  return (toRows(database, AssistantTestRun, rows) as unknown as Row[]).map((row) => ({
    ...row,
    input_tokens: Number(row.input_tokens),
    output_tokens: Number(row.output_tokens),
  }))
}

async function readRuns(database: Database, rest: Sql): Promise<TestRunRow[]> {
  const columns = withoutCases(database, AssistantTestRun)
  return toRuns(database, await database.execute(sql`select ${columns} from assistant_test_run ${rest}`))
}

/** Runs of a test set, newest first. */
export async function listTestRuns(
  database: Database,
  { project_id, test_set_id }: Place,
  { limit, cursor }: PageOptions,
): Promise<Page<TestRunRow>> {
  const after = cursor === undefined ? sql`` : sql`and _id < ${cursor}`
  const rows = await readRuns(
    database,
    sql`where test_set_id = ${test_set_id} and project_id = ${project_id} ${after} order by _id desc limit ${limit + 1}`,
  )
  return toPage(rows, limit, ({ _id }) => _id)
}

export async function findTestRun(
  database: Database,
  { project_id, test_set_id }: Place,
  _id: string,
): Promise<AssistantTestRun | undefined> {
  const rows = await database.execute(sql`
    select ${columnsOf(database, AssistantTestRun)} from assistant_test_run
    where _id = ${_id} and test_set_id = ${test_set_id} and project_id = ${project_id}`)
  return toRuns<AssistantTestRun>(database, rows)[0]
}

/** Results of a run from the position of the cursor on, in the order of the tries, as far as they fit into a page. */
export async function listTestResults(
  database: Database,
  run_id: string,
  { has_passed }: { has_passed?: boolean | undefined },
  { limit, cursor }: PageOptions,
): Promise<Page<AssistantTestResult>> {
  const conditions = [sql`run_id = ${run_id}`]
  if (has_passed !== undefined) conditions.push(sql`has_passed = ${has_passed}`)
  if (cursor !== undefined) conditions.push(sql`position > ${Number(cursor)}`)
  const columns = columnsOf(database, AssistantTestResult)
  const listed = sql`select ${columns} from assistant_test_result
    where ${sql.join(conditions, ' and ')} order by position limit ${limit + 1}`
  const large = ['failures', 'steps']
  const rows = await database.execute(asFarAsFits(listed, { columns, large, order: sql`position` }))
  const results = toRows<AssistantTestResult>(database, AssistantTestResult, rows)
  return toPage(results, limit, ({ position }) => String(position), isCut(rows))
}

/** Runs of a project by id. */
export async function readTestRuns(
  database: Database,
  project_id: string,
  ids: readonly string[],
): Promise<TestRunRow[]> {
  return ids.length === 0 ? [] : readRuns(database, sql`where project_id = ${project_id} and _id = any (${[...ids]})`)
}

/** A run that has not ended, and the positions that have a result. */
export type UnfinishedTestRun = { row: TestRunRow; done: number[] }

/** Those of the projects, or of them with these ids alone; the oldest first. */
export async function readUnfinishedTestRuns(
  database: Database,
  project_ids: readonly string[],
  ids?: readonly string[],
): Promise<UnfinishedTestRun[]> {
  const named = ids === undefined ? sql`` : sql`and _id = any (${[...ids]})`
  const rows = await readRuns(
    database,
    sql`where project_id = any (${[...project_ids]}) and ended_at is null ${named} order by _id`,
  )
  const results = await database.execute<{ run_id: string; position: number }>(sql`
    select run_id, position from assistant_test_result where run_id = any (${rows.map(({ _id }) => _id)})`)
  const done = Map.groupBy(results, ({ run_id }) => run_id)
  return rows.map((row) => ({ row, done: (done.get(row._id) ?? []).map(({ position }) => position) }))
}

export async function countUnfinishedTestRuns(database: Database, project_id: string): Promise<number> {
  const [row] = await database.execute<{ count: number }>(
    sql`select count(*)::int as count from assistant_test_run where project_id = ${project_id} and ended_at is null`,
  )
  return row!.count
}

/** Ended runs of a set beyond the newest `most` of all its runs. */
export async function readTestRunsBeyond(database: Database, test_set_id: string, most: number): Promise<string[]> {
  const rows = await database.execute<{ _id: string; ended_at: string | null }>(sql`
    select _id, ended_at from assistant_test_run where test_set_id = ${test_set_id} order by _id desc offset ${most}`)
  return rows.filter(({ ended_at }) => ended_at !== null).map(({ _id }) => _id)
}

/** The case at this place; undefined when the run is gone. */
export async function readTestCase(database: Database, run_id: string, index: number): Promise<TestCase | undefined> {
  const [row] = await database.execute<{ test_case: TestCase | null }>(
    sql`select cases -> ${index} as test_case from assistant_test_run where _id = ${run_id}`,
  )
  return row?.test_case ?? undefined
}
