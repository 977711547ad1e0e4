/** Blocks of instructions, and the versions of their content. */

import type { Database } from '../../database/database.ts'
import { columnsOf, readRows, toRows } from '../../database/read_rows.ts'
import { AssistantBlock } from '../../entities/assistants/assistant_block.ts'
import { Block } from '../../entities/assistants/block.ts'
import { BlockVersion } from '../../entities/assistants/block_version.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { type BlockFamily, type BlockType, typesOfFamily } from '../../values/block_types.ts'
import type { CountedPage, Page, Window } from '../common/keyset.ts'
import { listRecords, pageRecords } from '../common/record_list.ts'

export type BlockFilter = {
  type?: BlockType | undefined
  family?: BlockFamily | undefined
  include_archived?: boolean | undefined
}

/** A page of a list without a total. */
export type Pages<Row> = { data: Row[]; has_more: boolean }

/** A block as a part of an assistant. `order`: its place in the prompt. */
export type AttachedBlock = Block & { order: number }

/** The row of a block of the project. */
export async function findBlock(database: Database, project_id: string, _id: string): Promise<Block | undefined> {
  const [row] = await readRows(database, Block, { _id, project_id })
  return row
}

/** Blocks of the project, or of all projects without one, newest first, and the total number of matching ones. */
export function listBlocks(
  database: Database,
  project_id: string | undefined,
  { type, ...filter }: BlockFilter,
  window: Window,
): Promise<CountedPage<Block>> {
  return listRecords(database, Block, { project_id, type }, window, conditionsOf(filter))
}

/** Blocks of the project without the total. */
export function pageBlocks(
  database: Database,
  project_id: string,
  { type, ...filter }: BlockFilter,
  window: Window,
): Promise<Page<Block>> {
  return pageRecords(database, Block, { project_id, type }, window, conditionsOf(filter))
}

function conditionsOf({ family, include_archived = false }: Omit<BlockFilter, 'type'>): Sql[] {
  const conditions: Sql[] = []
  if (family !== undefined) conditions.push(sql`type in (${sql.list(typesOfFamily(family))})`)
  if (!include_archived) conditions.push(sql`not is_archived`)
  return conditions
}

/** One version of a block of the project. */
export async function findVersion(
  database: Database,
  project_id: string,
  block_id: string,
  _id: string,
): Promise<BlockVersion | undefined> {
  const [row] = await readRows(database, BlockVersion, { _id, block_id, project_id })
  return row
}

/** A version without its content, of which a page of 200 could have 80 MB. */
export type BlockVersionSummary = Pick<BlockVersion, '_id' | 'block_id' | 'edit_mode' | 'created_at'>

/** The versions of a block of the project without their content, newest first. */
export async function listVersions(
  database: Database,
  project_id: string,
  block_id: string,
  { limit, offset }: Pick<Window, 'limit' | 'offset'>,
): Promise<Pages<BlockVersionSummary>> {
  const rows = await database.execute(sql`
    select _id, block_id, edit_mode, created_at from block_version
    where project_id = ${project_id} and block_id = ${block_id}
    order by _id desc limit ${limit + 1} offset ${offset}`)
  return { data: toRows(database, BlockVersion, rows.slice(0, limit)), has_more: rows.length > limit }
}

/** The blocks of assistants, in the order of the prompt. */
export async function readAttached(database: Database, assistant_ids: string[]): Promise<Map<string, AttachedBlock[]>> {
  if (assistant_ids.length === 0) return new Map()
  const rows = await database.execute(sql`
    select ${columnsOf(database, Block, sql`b`)}, a.assistant_id, a."order"
    from assistant_block a join block b on b._id = a.block_id
    where a.assistant_id in (${sql.list(assistant_ids)})
    order by a."order", a.block_id`)
  const attached = new Map<string, AttachedBlock[]>()
  for (const row of toRows(database, Block, rows) as (AttachedBlock & { assistant_id: string })[]) {
    const records = attached.get(row.assistant_id) ?? []
    records.push(row)
    attached.set(row.assistant_id, records)
  }
  return attached
}

/** The current and the held versions of the blocks of an assistant, and these, by their ids. */
export async function readPromptVersions(
  database: Database,
  project_id: string,
  assistant_id: string,
  others: readonly string[] = [],
): Promise<Map<string, BlockVersion>> {
  const rows = await database.execute(sql`
    select ${columnsOf(database, BlockVersion)} from block_version
    where project_id = ${project_id} and _id in (
      select unnest(array[b.current_version_id, b.held_version_id]) from assistant_block a join block b on b._id = a.block_id
      where a.assistant_id = ${assistant_id}
      union all select unnest(${others}))`)
  return new Map(toRows<BlockVersion>(database, BlockVersion, rows).map((row) => [row._id, row]))
}

/** The links of assistants to blocks. */
export function readLinks(database: Database, project_id: string, assistant_id: string[]): Promise<AssistantBlock[]> {
  return readRows(database, AssistantBlock, { assistant_id, project_id })
}
