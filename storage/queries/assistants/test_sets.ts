import type { Database } from '../../database/database.ts'
import { type columnsOf, readRows, toRows } from '../../database/read_rows.ts'
import { tableOf } from '../../database/write_set.ts'
import { AssistantTestSet } from '../../entities/assistants/assistant_test_set.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { type Page, type PageOptions, toPage } from '../common/keyset.ts'

type Place = { project_id: string; assistant_id: string }

/** A test set without its cases. */
export type TestSetSummary = Omit<AssistantTestSet, 'cases'>

/** The columns of a table with test cases without them, which may be long. */
export function withoutCases(database: Database, entity: Parameters<typeof columnsOf>[1]): Sql {
  const columns = [...tableOf(database.orm, entity).types.keys()].filter((column) => column !== 'cases')
  return sql.join(
    columns.map((column) => sql.id(column)),
    ', ',
  )
}

/** Test sets of an assistant, newest first. `name`: the one with this name. */
export async function listTestSets(
  database: Database,
  { project_id, assistant_id }: Place,
  { name }: { name?: string | undefined },
  { limit, cursor }: PageOptions,
): Promise<Page<TestSetSummary>> {
  const conditions = [sql`project_id = ${project_id}`, sql`assistant_id = ${assistant_id}`]
  if (name !== undefined) conditions.push(sql`name = ${name}`)
  if (cursor !== undefined) conditions.push(sql`_id < ${cursor}`)
  const rows = await database.execute(sql`
    select ${withoutCases(database, AssistantTestSet)} from assistant_test_set
    where ${sql.join(conditions, ' and ')} order by _id desc limit ${limit + 1}`)
  return toPage(toRows<AssistantTestSet>(database, AssistantTestSet, rows), limit, ({ _id }) => _id)
}

export async function findTestSet(
  database: Database,
  { project_id, assistant_id }: Place,
  _id: string,
): Promise<AssistantTestSet | undefined> {
  const [row] = await readRows(database, AssistantTestSet, { _id, project_id, assistant_id })
  return row
}

/** Sets of a project by id, and those of assistants by name: pairs of the assistant's id and the name. */
export async function readTestSets(
  database: Database,
  project_id: string,
  ids: readonly string[],
  named: readonly (readonly [string, string])[],
): Promise<AssistantTestSet[]> {
  const wheres = named.map(([assistant_id, name]) => ({ project_id, assistant_id, name }))
  return readRows(database, AssistantTestSet, { project_id, _id: ids }, ...wheres)
}

export async function countTestSets(database: Database, project_id: string): Promise<number> {
  const [row] = await database.execute<{ count: number }>(
    sql`select count(*)::int as count from assistant_test_set where project_id = ${project_id}`,
  )
  return row!.count
}
