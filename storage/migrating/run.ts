/** Runs one migration, step by step, over the session that has the lock. */
import { type IndexBuild, type IndexDrop, type Migration, type Step, statementsOf } from '../migrations/step.ts'
import { type Sql, sql } from '../sql/sql.ts'
import { runBatches } from './batches.ts'
import { OF_MIGRATION } from './of_migration.ts'
import { type Progress, patiently, type Run, type StepRun, TablesInUse } from './step_run.ts'

/**
 * Maximum wait of a transaction for a table in use. Later statements queue behind it, so while a backup or a long query
 * reads the table, working nodes would stall until it ends. Half of PostgreSQL's `deadlock_timeout`: in a deadlock with
 * a node the migration gives way.
 */
const LOCK_MS = 500
/** Pause between two attempts, in which the nodes catch up. */
const AGAIN_MS = 4000

/** The runner's tables. `migration` has the layout of releases that used MikroORM's migrator. */
export const TABLES = sql`
  create table if not exists migration (
    id serial primary key,
    name varchar(255) not null,
    executed_at timestamptz(6) not null default current_timestamp(6)
  );
  create table if not exists migration_progress (
    name text primary key,
    step integer not null,
    done_up_to text,
    last text,
    rows bigint not null default 0
  )`

/** `message` names the migration, the step and the server's error; the next start continues with that step. */
class MigrationFailed extends Error {
  override name = 'MigrationFailed'
}

/**
 * Runs the remaining steps of a migration.
 *
 * @throws {TablesInUse} {MigrationFailed}
 */
export async function runMigration({ name, steps }: Migration, run: Run): Promise<void> {
  const [known] = await run.session.run<Progress>(
    sql`select step, done_up_to, last, rows::float8 as rows from migration_progress where name = ${name}`,
  )
  if (known) run.log({ migration: name, step: known.step + 1, of: steps.length, rows: known.rows }, 'migration goes on')
  for (let at = known?.step ?? 0; at < steps.length; at++) {
    run.signal?.throwIfAborted()
    const step = steps[at]!
    const label = `Migration ${name}, step ${at + 1} of ${steps.length}`
    const done = at === steps.length - 1 ? finish(name) : advance(name, at + 1)
    const progress = known?.step === at ? known : { step: at, done_up_to: null, last: null, rows: 0 }
    const own = { ...run, migration: name, label, done, progress }
    const saying = setInterval(() => void say(step, steps.length, own), run.say_ms)
    try {
      await runStep(step, own)
    } catch (error) {
      if (error instanceof TablesInUse) throw error
      const text = `${label}: ${(error as Error).message}. The next start goes on with this step.`
      throw new MigrationFailed(text, { cause: error })
    } finally {
      clearInterval(saying)
    }
  }
}

function runStep(step: Step, run: StepRun): Promise<unknown> {
  switch (step.kind) {
    case 'transaction':
      return patiently(run, AGAIN_MS, () => run.session.run(transaction(step.statements, run)))
    case 'index':
      return patiently(run, AGAIN_MS, () => makeIndex(step, run))
    case 'index_drop':
      return patiently(run, AGAIN_MS, () => outside(step, run))
    case 'batches':
      return runBatches(step, run)
  }
}

function transaction(statements: readonly string[], { done }: StepRun): Sql {
  const own = statements.map((statement) => sql.raw(statement, OF_MIGRATION))
  return sql.join([sql`set local lock_timeout = ${LOCK_MS}`, ...own, done], ';\n')
}

function finish(name: string): Sql {
  return sql`insert into migration (name) values (${name});
    delete from migration_progress where name = ${name}`
}

function advance(name: string, step: number): Sql {
  return sql`insert into migration_progress (name, step) values (${name}, ${step})
    on conflict (name) do update set step = excluded.step, done_up_to = null, last = null, rows = 0`
}

/** An invalid index of that name is left by an interrupted build: writers maintain it, and no query uses it. */
async function makeIndex(step: IndexBuild, run: StepRun): Promise<void> {
  const { session, log, migration } = run
  const found = sql`select indisvalid as is_valid from pg_index where indexrelid = to_regclass(${step.name})`
  const [index] = await session.run<{ is_valid: boolean }>(found)
  if (index?.is_valid) return void (await session.run(run.done))
  if (index) {
    log({ migration, index: step.name }, 'creating an unfinished index again')
    for (const statement of statementsOf({ kind: 'index_drop', name: step.name }))
      await session.run(sql.raw(statement, OF_MIGRATION))
  }
  await outside(step, run)
}

/**
 * Runs without `lock_timeout`: these statements wait for transactions, and no other session waits behind them. An
 * aborted build would have to begin from the start.
 */
async function outside(step: IndexBuild | IndexDrop, { session, done }: StepRun): Promise<void> {
  for (const statement of statementsOf(step)) await session.run(sql.raw(statement, OF_MIGRATION))
  await session.run(done)
}

/** Logs one line about a long step. A failure to do so does not affect the work. */
async function say(step: Step, of: number, { migration, progress, log, session, database }: StepRun): Promise<void> {
  const details = await database.execute(detailsOf(step, session.pid)).catch(() => [])
  const rows = step.kind === 'batches' ? { rows: progress.rows } : {}
  log({ migration, step: progress.step + 1, of, ...rows, ...details[0] }, 'migrating the database')
}

function detailsOf(step: Step, pid: number): Sql {
  if (step.kind === 'batches') {
    // Negative: the server has never counted them.
    return sql`select ${step.table} as table, nullif(greatest(reltuples, 0), 0)::float8 as rows_of
      from pg_class where oid = to_regclass(${step.table})`
  }
  return sql`select relid::regclass::text as table, phase, blocks_done::float8 as blocks, blocks_total::float8 as blocks_of,
    nullif(current_locker_pid, 0)::integer as waits_for_pid from pg_stat_progress_create_index where pid = ${pid}`
}
