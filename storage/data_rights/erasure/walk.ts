/**
 * Walks through tables without an index by person or project: a bounded number of rows in each transaction, in the order
 * of the key. A walk ends at the last row that was there when it began, so it ends under any load. Later rows are not of
 * the subject: everything that may write about it has forgotten it before.
 */
import type { EntityManager } from '../../database/entity_manager.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import type { Progress } from './transaction.ts'

/** Rows visited in one transaction. */
const VISITED = 1000

export type Walk = {
  table: string
  /** The primary key, or another order that an index has. */
  key: readonly string[]
  /** Rows that are visited at all, found by the same index. Default: all. */
  among?: Sql
  /** The least value of the first column. */
  from?: string
  /** SQL: the row is of the subject. */
  hits: Sql
  /** Default: hits are deleted. Otherwise they are updated: the part of the statement after `set`. */
  set?: Sql
  /** Hits are noted alone. */
  keeps?: true
  /** Name in the counts. Default: the table. */
  type?: string
  /** Is called with the keys of hits, before they are deleted or updated. */
  note?(em: EntityManager, keys: Key[]): Promise<void>
}

type Key = (string | number)[]
/** The last visited key, and the last key of the walk. */
type Place = { after: Key | null; last: Key }

/** Visits the next rows, and deletes or changes those that are hit. */
export async function walkOn(em: EntityManager, walk: Walk, cursor: string): Promise<Progress> {
  const { table, key, among = sql`true`, from, hits, type = table } = walk
  const place = placeOf(cursor) ?? (await begin(em, walk))
  if (!place) return { cursor: null }
  const { after, last } = place
  const columns = sql`(${sql.join(key.map(sql.id), ',')})`
  const bounds = [among, sql`${columns} <= ${tuple(last)}`, sql`${sql.id(key[0]!)} <= ${tuple(last.slice(0, 1))}`]
  // The first column again, by itself: PostgreSQL then skips the tables of other days.
  if (after) bounds.push(sql`${columns} > ${tuple(after)}`, sql`${sql.id(key[0]!)} >= ${tuple(after.slice(0, 1))}`)
  else if (from !== undefined) bounds.push(sql`${sql.id(key[0]!)} >= ${from}`)
  const visited = await em.execute<{ place: Key; is_hit: boolean }[]>(sql`
    select json_build_array(${sql.join(key.map(sql.id), ',')}) as place, (${hits}) as is_hit from ${sql.id(table)}
    where ${sql.join(bounds, ' and ')} order by ${sql.join(key.map(sql.id), ',')} limit ${VISITED}`)
  const found = visited.flatMap((row) => (row.is_hit ? [row.place] : []))
  if (found.length > 0) await walk.note?.(em, found)
  const count = found.length === 0 || walk.keeps ? 0 : await change(em, walk, found)
  const is_over = visited.length < VISITED
  return {
    cursor: is_over ? null : JSON.stringify({ after: visited.at(-1)!.place, last }),
    counts: { [type]: count },
  }
}

async function change(em: EntityManager, { table, key, set }: Walk, found: Key[]): Promise<number> {
  const [least, greatest] = [found[0]!, found.at(-1)!].map((one) => tuple(one.slice(0, 1)))
  const [row] = await em.execute<{ count: number }[]>(sql`
    with changed as (
      ${set === undefined ? sql`delete from ${sql.id(table)}` : sql`update ${sql.id(table)} set ${set}`}
      where ${sql.id(key[0]!)} between ${least!} and ${greatest!} and (${sql.join(key.map(sql.id), ',')}) in (${sql.join(found.map(tuple), ',')}) returning 1
    ) select count(*)::int as count from changed`)
  return row!.count
}

/** Several walks, one after the other. */
export async function walkAll(em: EntityManager, walks: readonly Walk[], cursor: string): Promise<Progress> {
  const [at, place] = cursor.startsWith('[') ? (JSON.parse(cursor) as [number, string]) : [0, '']
  const walk = walks[at]
  if (!walk) return { cursor: null }
  const progress = await walkOn(em, walk, place)
  const next: [number, string] = progress.cursor === null ? [at + 1, ''] : [at, progress.cursor]
  return { ...progress, cursor: next[0] < walks.length ? JSON.stringify(next) : null }
}

/** Undefined at the beginning, and for the place of a node of another version. */
function placeOf(cursor: string): Place | undefined {
  if (!cursor.startsWith('{')) return undefined
  const place = JSON.parse(cursor) as Partial<Place>
  return place.last && (place as Place)
}

async function begin(em: EntityManager, { table, key, among = sql`true` }: Walk): Promise<Place | undefined> {
  const [row] = await em.execute<{ last: Key }[]>(sql`
    select json_build_array(${sql.join(key.map(sql.id), ',')}) as last from ${sql.id(table)} where ${among}
    order by ${sql.join(
      key.map((column) => sql`${sql.id(column)} desc`),
      ',',
    )} limit 1`)
  return row && { after: null, last: row.last }
}

function tuple(values: Key): Sql {
  return sql`(${sql.list(values.map((value) => String(value)))})`
}
