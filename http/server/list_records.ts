import {
  type CountedPage,
  type Database,
  type EntityRef,
  type RecordFilter,
  listRecords as readRecords,
  type Window,
} from '../../storage/mod.ts'

/** One page of a list in the order of creation, in the shape that all such lists have. */
export async function listRecords<Row extends { _id: string }, Shown>(
  database: Database,
  entity: EntityRef<Row>,
  filter: RecordFilter<Row>,
  { limit, offset, cursor }: Window,
  show: (row: Row) => Shown,
): Promise<CountedPage<Shown> & { limit: number; offset: number }> {
  const { data, ...found } = await readRecords(database, entity, filter, { limit, offset, cursor })
  return { ...found, data: data.map(show), limit, offset }
}
