/**
 * The transaction that fills a migrated, empty database.
 *
 *  T1 No text of an archive is a part of SQL. Names of tables, columns and sequences are those of PostgreSQL's catalogue,
 *  after a comparison; numbers and days are checked for their form (`checked_parts.ts`).
 *  T2 No migration runs between the comparison of the migrations and the commit.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { rowsOf } from '../connections/rows_of.ts'
import type { Session } from '../connections/session.ts'
import { MIGRATION_LOCK } from '../migrating/session.ts'
import { type Sql, sql } from '../sql/sql.ts'
import { BackupError, damaged, reasonOf } from './backup_error.ts'
import { type CopiedTable, readSequences, readTables, type Sequence } from './catalogue.ts'
import { copyIn, keepColumns } from './copy.ts'
import { mustHaveNoRows, SEEDED } from './empty_database.ts'
import type { Head } from './format.ts'

const FROM_CATALOGUE = 'PostgreSQL wrote it'

/** `table` and `definition` are SQL. */
type ForeignKey = { table: string; name: string; definition: string }

/**
 * Added to each epoch. The former cluster went on after the snapshot, and gave out higher epochs than the archive has: a
 * new one may equal none of them, because a commit compares them. Epochs rise by half a million with each takeover.
 */
const EPOCHS = 10_000_000_000
/** Added to the sequences of the engine: what was drawn after the snapshot is not drawn again. */
const DRAWN: Record<string, number> = {
  lane_source_seq: 10_000_000,
  node_stamp: 1_000_000_000,
  node_change: 1_000_000_000,
}

/** Pause between two attempts to take the lock of migrations. */
const LOCK_MS = 100

/** A table of the database that the archive has rows for. */
type Filled = {
  own: CopiedTable
  /** Columns of the rows, in their order, without those that are not Parley's. */
  columns: string[]
  /** For each column of the archive; undefined when all are kept. */
  kept: boolean[] | undefined
}

export class Target {
  readonly #session: Session
  readonly #head: Head
  readonly #own: readonly CopiedTable[]
  readonly #foreign_keys: readonly ForeignKey[]
  readonly #filled = new Map<string, Filled>()
  /** Tables, and columns as `table.column`, of the archive that are not Parley's. */
  readonly foreign: string[] = []

  private constructor(session: Session, head: Head, own: readonly CopiedTable[], foreign_keys: readonly ForeignKey[]) {
    this.#session = session
    this.#head = head
    this.#own = own
    this.#foreign_keys = foreign_keys
    const tables = new Map(own.map((table) => [table.name, table]))
    for (const { name, columns } of head.tables) {
      const table = tables.get(name)
      if (table) this.#fill(table, columns)
      else this.foreign.push(name)
    }
  }

  /**
   * Locks the tables of a migrated database, and prepares them for rows in any order: without foreign keys, which are
   * checked at the end, and without triggers, whose effects are in the archive.
   *
   * @throws {BackupError} when a table has rows, or a node has migrated the database further than the archive
   */
  static async begin(session: Session, head: Head, signal?: AbortSignal): Promise<Target> {
    await lockMigrations(session, signal)
    await rowsOf(session, sql`begin`)
    const own = await readTables(session)
    await rowsOf(
      session,
      sql`lock table ${sql.join(
        own.map(({ name }) => sql.id(name)),
        ',',
      )} in access exclusive mode`,
    )
    await mustHaveMigrations(session, head)
    await mustHaveNoRows(session)
    const foreign_keys = await rowsOf<ForeignKey>(
      session,
      sql`select conrelid::regclass::text as "table", conname as name, pg_get_constraintdef(oid) as definition
       from pg_constraint where contype = 'f' and conparentid = 0 and connamespace = current_schema()::regnamespace`,
    )
    const statements = [
      ...foreign_keys.map(
        ({ table, name }) => sql`alter table ${sql.raw(table, FROM_CATALOGUE)} drop constraint ${sql.id(name)}`,
      ),
      ...own.map(({ name }) => sql`alter table ${sql.id(name)} disable trigger user`),
      ...own.filter(({ name }) => SEEDED.includes(name)).map(({ name }) => sql`delete from ${sql.id(name)}`),
      ...[...daysOf(head, own)].map((day) => sql`select day_tables_add(${day}, ${day})`),
    ]
    await rowsOf(session, sql.join([...statements, sql`select 1`], ';\n'))
    return new Target(session, head, own, foreign_keys)
  }

  /**
   * Stores rows of a table, and nothing for a table that is not Parley's.
   *
   * @throws {BackupError} when the rows do not fit the table
   */
  async store(table: string, text: AsyncGenerator<Buffer>): Promise<void> {
    const filled = this.#filled.get(table)
    if (!filled || filled.columns.length === 0) return
    const { own, columns, kept } = filled
    let rows = 0
    const counted = async function* () {
      for await (const piece of kept ? keepColumns(text, kept) : text) {
        for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) rows++
        yield piece
      }
    }
    const copy = sql`copy ${sql.id(own.name)} (${sql.join(columns.map(sql.id), ',')}) from stdin`
    const stored = await copyIn(this.#session, copy, counted()).catch((error) => {
      throw explained(`The rows of the table ${table} cannot be stored`, error)
    })
    if (stored !== rows) throw damaged(`the table ${table} has a row that ends its rows`)
  }

  /**
   * Does all that is left before the commit.
   *
   * @throws {BackupError} when the rows of several tables do not fit together
   */
  async complete(): Promise<void> {
    const statements = [
      // No node owns a partition, and none may write with an epoch that it remembers.
      sql`update partition set owner = null, taken_at = null, epoch = epoch + ${EPOCHS} + floor(random() * 1000000)::bigint`,
      ...(await this.#sequences()),
      ...this.#own.map(({ name }) => sql`alter table ${sql.id(name)} enable trigger user`),
      ...this.#foreign_keys.map(
        ({ table, name, definition }) =>
          sql`alter table ${sql.raw(table, FROM_CATALOGUE)} add constraint ${sql.id(name)} ${sql.raw(definition, FROM_CATALOGUE)}`,
      ),
      sql`select 1`,
    ]
    await rowsOf(this.#session, sql.join(statements, ';\n')).catch((error) => {
      throw explained('The rows of the archive do not fit together', error)
    })
  }

  #fill(own: CopiedTable, columns: readonly string[]): void {
    const known = new Set(own.columns)
    const kept = columns.map((column) => known.has(column))
    const surplus = columns.filter((_, index) => !kept[index])
    this.foreign.push(...surplus.map((column) => `${own.name}.${column}`))
    this.#filled.set(own.name, {
      own,
      columns: columns.filter((_, index) => kept[index]),
      kept: surplus.length === 0 ? undefined : kept,
    })
  }

  async #sequences(): Promise<Sql[]> {
    const own = new Set((await readSequences(this.#session)).map(({ name }) => name))
    return this.#head.sequences.filter(({ name }) => own.has(name)).map(setSequence)
  }
}

/** Keeps nodes from migrating until the end of the session, and waits for one that does. */
async function lockMigrations(session: Session, signal: AbortSignal | undefined): Promise<void> {
  for (;;) {
    const [lock] = await rowsOf<{ taken: boolean }>(
      session,
      sql`select pg_try_advisory_lock_shared(${MIGRATION_LOCK}) as taken`,
    )
    if (lock!.taken) return
    await pause(LOCK_MS, undefined, { signal })
  }
}

async function mustHaveMigrations(session: Session, { migrations }: Head): Promise<void> {
  const rows = await rowsOf<{ name: string }>(
    session,
    sql`select name from migration union all select name from migration_progress`,
  )
  const others = new Set(rows.map(({ name }) => name)).symmetricDifference(new Set(migrations))
  if (others.size === 0) return
  throw new BackupError(
    `A node migrates the database meanwhile (${[...others].join(', ')}): stop the nodes, and create a new database.`,
  )
}

/** A server that refuses has a reason; other errors are not the archive's. */
function explained(what: string, error: unknown): unknown {
  if ((error as { severity?: string }).severity !== 'ERROR') return error
  return new BackupError(`${what}: ${reasonOf(error)}.`, { cause: error })
}

function setSequence({ name, value, is_called }: Sequence): Sql {
  const next = BigInt(value) + BigInt(DRAWN[name] ?? 0)
  return sql`select setval(${sql.id(name).sql}::regclass, ${next}, ${is_called === true})`
}

/** The days of the archive that the database has no parts for, as `YYYYMMDD`. */
function daysOf({ tables }: Head, own: readonly CopiedTable[]): Set<string> {
  const days = new Set<string>()
  for (const { name, parts } of tables) {
    const there = own.find((table) => table.name === name)?.parts
    if (!there) continue
    for (const part of parts ?? []) {
      if (there.some((one) => one.name === part.name)) continue
      const day = part.name.startsWith(`${name}_`) ? part.name.slice(name.length + 1) : ''
      if (!isDay(day)) throw damaged(`${part.name} is not the part of a day of the table ${name}`)
      days.add(day)
    }
  }
  return days
}

function isDay(text: string): boolean {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(text) ?? []
  const time = Date.parse(`${year}-${month}-${day}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(`${year}-${month}-${day}`)
}
