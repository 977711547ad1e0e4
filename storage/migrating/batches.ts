/** Updates many rows beside working nodes. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Batches, batchStatement } from '../migrations/step.ts'
import { type Sql, sql } from '../sql/sql.ts'
import { OF_MIGRATION } from './of_migration.ts'
import { patiently, type StepRun } from './step_run.ts'

/** Maximum time of a batch's transaction, during which a node may have to wait for a row. */
const BATCH_MS = 100
const FIRST_ROWS = 500
const MAX_ROWS = 10_000
/** Maximum wait of a batch for a locked row; the node that holds it may be waiting for a row of the batch. */
const ROW_LOCK_MS = 100
const AGAIN_MS = 400

/**
 * Goes through the rows by their key. Each batch commits together with its progress. Between two batches the nodes get
 * as much time for themselves as the last batch took.
 */
export async function runBatches(step: Batches, run: StepRun): Promise<void> {
  const { session, signal, progress } = run
  progress.last ??= await noteLast(step, run)
  for (let size = FIRST_ROWS; progress.last !== null; ) {
    signal?.throwIfAborted()
    const began = performance.now()
    const { bound, rows } = await nextBatch(step, run, size)
    if (bound === null) break
    await patiently(run, AGAIN_MS, () => session.run(batch(step, run, bound, rows)))
    progress.done_up_to = bound
    progress.rows += rows
    const took = performance.now() - began
    if (took > BATCH_MS) size = Math.max(1, Math.floor(size / 2))
    else if (took < BATCH_MS / 2) size = Math.min(MAX_ROWS, size * 2)
    await pause(took, undefined, { signal })
  }
  await session.run(run.done)
}

/** The last key when the step begins; later rows are not changed. Null without any rows. */
async function noteLast({ table, key }: Batches, { session, migration, progress }: StepRun): Promise<string | null> {
  const [row] = await session.run<{ last: string | null }>(
    sql`select max(${sql.id(key)})::text as last from ${sql.id(table)}`,
  )
  const last = row!.last
  if (last === null) return null
  await session.run(sql`insert into migration_progress (name, step, last)
    values (${migration}, ${progress.step}, ${last}) on conflict (name) do update set last = excluded.last`)
  return last
}

async function nextBatch(
  { table, key }: Batches,
  { session, progress: { done_up_to, last } }: StepRun,
  size: number,
): Promise<{ bound: string | null; rows: number }> {
  const after = done_up_to === null ? sql`` : sql`${sql.id(key)} > ${done_up_to} and `
  const [row] = await session.run<{ bound: string | null; rows: number }>(sql`
    select max(${sql.id(key)})::text as bound, count(*)::integer as rows from (
      select ${sql.id(key)} from ${sql.id(table)} where ${after}${sql.id(key)} <= ${last!} order by ${sql.id(key)} limit ${size}) batch`)
  return row!
}

function batch(step: Batches, { migration, progress }: StepRun, bound: string, rows: number): Sql {
  const after = progress.done_up_to === null ? null : sql`${progress.done_up_to}`.sql
  return sql`set local lock_timeout = ${ROW_LOCK_MS};
    ${sql.raw(batchStatement(step, after, sql`${bound}`.sql), OF_MIGRATION)};
    update migration_progress set done_up_to = ${bound}, rows = rows + ${rows} where name = ${migration}`
}
