/**
 * Who owns which partition. The truth is the `partition` table: taking one raises its epoch under the row's lock, and
 * every commit checks the epochs of its partitions under share locks (I3), so a former owner cannot write.
 */
import { type Database, literal } from '../storage/mod.ts'

/** Creates the partitions of a new cluster; an existing cluster keeps the number it was created with. */
export async function layOutPartitions(database: Database, wanted: number): Promise<number> {
  await database.execute(`insert into cluster (partitions) values (${wanted}) on conflict do nothing`)
  const rows = await database.execute('select partitions from cluster')
  const partitions = rows[0]!.partitions as number
  await database.execute(
    `insert into partition (id) select generate_series(0, ${partitions - 1}) on conflict do nothing`,
  )
  return partitions
}

/** Takes partitions for `node`; returns their new epochs. Waits for commits of the former owner that are under way. */
export async function takePartitions(
  database: Database,
  node: string,
  partitions: number[],
): Promise<Map<number, number>> {
  if (partitions.length === 0) return new Map()
  const rows = await database.execute(`
    update partition p set owner = ${literal(node)}, epoch = p.epoch + 1, taken_at = now()
    from (select id from partition where id in (${partitions.join()}) order by id for update) as locked
    where p.id = locked.id returning p.id, p.epoch::text`)
  return new Map(rows.map((row) => [row.id as number, Number(row.epoch)]))
}

/** Gives partitions up, unless somebody took them meanwhile. */
export async function releasePartitions(database: Database, node: string, partitions: number[]): Promise<void> {
  if (partitions.length === 0) return
  await database.execute(
    `update partition set owner = null where owner = ${literal(node)} and id in (${partitions.join()})`,
  )
}

/** The epochs as stored, to find out which partitions were lost. */
export async function readEpochs(database: Database): Promise<Map<number, number>> {
  const rows = await database.execute('select id, epoch::text from partition')
  return new Map(rows.map((row) => [row.id as number, Number(row.epoch)]))
}

/**
 * Removes the counters of lanes that ended long ago and have nothing left in the outbox. The rows are locked before the
 * outbox is looked at, so that a lane that is alive after all either shows what it sent or finds itself retired.
 */
export async function sweepLanes(database: Database): Promise<void> {
  const ended = `started_at < now() - interval '1 hour' and not exists (select 1 from partition p where p.owner = l.node)`
  await database.execute(`
    select 1 from lane l where ${ended} order by source for update;
    delete from lane l where ${ended} and not exists (select 1 from outbox o where o.source = l.source)`)
}
