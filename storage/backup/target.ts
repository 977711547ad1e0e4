/** The transaction that fills a migrated, empty database. */
import { rowsOf } from '../rows_of.ts'
import type { Session } from '../session.ts'
import { literal } from '../write_set.ts'
import { type CopiedTable, ident, type Part, readSequences, readTables, type Sequence } from './catalogue.ts'
import { mustHaveNoRows, SEEDED } from './empty_database.ts'
import type { Head } from './format.ts'

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

export class Target {
  readonly #session: Session
  readonly #head: Head
  readonly #foreign_keys: ForeignKey[]
  readonly #tables: Map<string, CopiedTable>
  readonly #surplus: [table: string, column: string][]
  /** Tables, and columns as `table.column`, of the archive that are not Parley's. */
  readonly foreign: string[]

  private constructor(
    session: Session,
    head: Head,
    tables: Map<string, CopiedTable>,
    foreign_keys: ForeignKey[],
    surplus: [string, string][],
  ) {
    this.#session = session
    this.#head = head
    this.#tables = tables
    this.#foreign_keys = foreign_keys
    this.#surplus = surplus
    const tables_ = head.tables.filter(({ name }) => !tables.has(name)).map(({ name }) => name)
    this.foreign = [...tables_, ...surplus.map(([table, column]) => `${table}.${column}`)]
  }

  /**
   * Locks the tables of a migrated database, and prepares them for rows in any order: without foreign keys, which are
   * checked at the end, and without triggers, whose effects are in the archive.
   *
   * @throws {BackupError} when a table has rows
   */
  static async begin(session: Session, head: Head): Promise<Target> {
    await rowsOf(session, 'begin')
    const own = await readTables(session)
    await rowsOf(session, `lock table ${own.map(({ name }) => ident(name)).join()} in access exclusive mode`)
    await mustHaveNoRows(session)
    const tables = new Map(own.map((table) => [table.name, table]))
    const foreign_keys = await rowsOf<ForeignKey>(
      session,
      `select conrelid::regclass::text as "table", conname as name, pg_get_constraintdef(oid) as definition
       from pg_constraint where contype = 'f' and conparentid = 0 and connamespace = current_schema()::regnamespace`,
    )
    const surplus: [string, string][] = []
    const statements = [
      ...foreign_keys.map(({ table, name }) => `alter table ${table} drop constraint ${ident(name)}`),
      ...own.map(({ name }) => `alter table ${ident(name)} disable trigger user`),
      ...own.filter(({ name }) => SEEDED.includes(name)).map(({ name }) => `delete from ${ident(name)}`),
    ]
    for (const { name, columns, parts } of head.tables) {
      const table = tables.get(name)
      if (!table) continue
      statements.push(...missingParts(table, parts ?? []))
      for (const column of columns) {
        if (table.columns.includes(column)) continue
        surplus.push([name, column])
        statements.push(`alter table ${ident(name)} add column ${ident(column)} text`)
      }
    }
    await rowsOf(session, [...statements, 'select 1'].join(';\n'))
    return new Target(session, head, tables, foreign_keys, surplus)
  }

  /** The columns of the archive's rows; undefined for a table that is not Parley's. */
  columnsOf(name: string): string[] | undefined {
    if (!this.#tables.has(name)) return undefined
    return this.#head.tables.find((table) => table.name === name)!.columns
  }

  async commit(): Promise<void> {
    await rowsOf(
      this.#session,
      [
        // No node owns a partition, and none may write with an epoch that it remembers.
        `update partition set owner = null, taken_at = null, epoch = epoch + ${EPOCHS} + floor(random() * 1000000)::bigint`,
        ...(await this.#sequences()),
        ...this.#surplus.map(([table, column]) => `alter table ${ident(table)} drop column ${ident(column)}`),
        ...[...this.#tables.keys()].map((name) => `alter table ${ident(name)} enable trigger user`),
        ...this.#foreign_keys.map(
          ({ table, name, definition }) => `alter table ${table} add constraint ${ident(name)} ${definition}`,
        ),
        'commit',
      ].join(';\n'),
    )
  }

  async #sequences(): Promise<string[]> {
    const own = new Set((await readSequences(this.#session)).map(({ name }) => name))
    return this.#head.sequences.filter(({ name }) => own.has(name)).map(setSequence)
  }
}

function setSequence({ name, value, is_called }: Sequence): string {
  return `select setval(${literal(ident(name))}::regclass, ${value} + ${DRAWN[name] ?? 0}, ${is_called})`
}

/** Makes the days of a table that is divided by day, as `day_tables_add` does. */
function missingParts({ name, parts: own }: CopiedTable, parts: readonly Part[]): string[] {
  const there = new Set(own?.map((part) => part.name))
  return parts
    .filter((part) => !there.has(part.name))
    .flatMap((part) => [
      `create table ${ident(part.name)} (like ${ident(name)} including defaults including constraints)`,
      ...(part.options ? [`alter table ${ident(part.name)} set (${part.options.join()})`] : []),
      `alter table ${ident(name)} attach partition ${ident(part.name)} ${part.bound}`,
    ])
}
