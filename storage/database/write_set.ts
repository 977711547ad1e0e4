/**
 * Turns the writes of many turns into few statements. Each entity becomes at most one DELETE, and one UPDATE, one
 * multi-row UPSERT and one multi-row INSERT per set of columns, fed by `json_to_recordset` from one literal.
 *
 * The unit of work's flush is not used: it costs about 50 µs a row here, and a statement per row where sets differ; a
 * commit lane would spend more time describing changes than making them. Table and column names and types still come
 * from the entities, so the tables have one definition.
 *
 * Order within a commit: removals, updates, upserts, inserts, so that another row may take a unique value that one row
 * frees. Writes to one record are folded, with the same result as one by one, with one exception: a record that is
 * inserted and removed again in one commit is not written at all.
 */
import type { EntityMetadata, EntityName, MikroORM } from '@mikro-orm/core'
import { literal } from '../sql/sql.ts'
import { Params, type Statement } from '../sql/statement.ts'

// biome-ignore lint/suspicious/noExplicitAny: entities of every shape
export type EntityRef<Row extends object = any> = EntityName<Row>
type Values = Record<string, unknown>

/** The writes of a turn. Rows name their columns as the entity does. */
export interface WriteSet {
  /** A missing column takes its default. Rows with the same columns share a statement. */
  insert<Row extends object>(entity: EntityRef<Row>, row: Partial<Row>): void
  /** `key` holds the primary key columns; only the columns in `patch` are written. */
  update<Row extends object>(entity: EntityRef<Row>, key: Partial<Row>, patch: Partial<Row>): void
  /** Inserts, or overwrites the given columns of the record with the same primary key. */
  upsert<Row extends object>(entity: EntityRef<Row>, row: Partial<Row>): void
  remove<Row extends object>(entity: EntityRef<Row>, key: Partial<Row>): void
}

export type Write = { entity: EntityRef; kind: 'insert' | 'update' | 'upsert' | 'remove'; key: Values; values: Values }

export type Table = {
  name: string
  primary: string[]
  types: Map<string, string>
  timestamps: string[]
  /** The column whose range tells the partition of a row. */
  partitioned_by: string | undefined
}
/** The writes to one record in a commit, in their order: remove, update, upsert, insert. */
type Folded = { key: Values; removed: boolean; update?: Values; upsert?: Values; inserts: Values[] }
type Row = { key: Values; values: Values }

const tables = new WeakMap<object, Table>()

/** The table of an entity, with the names and types of the database. */
export function tableOf(orm: MikroORM, entity: EntityRef): Table {
  const known = tables.get(entity as object)
  if (known) return known
  const meta = orm.getMetadata().get(entity as never) as EntityMetadata
  const types = new Map<string, string>()
  for (const property of meta.props) {
    if (property.persist === false) continue
    types.set(property.fieldNames[0]!, property.columnTypes[0]!)
  }
  const primary = meta.primaryKeys.map(
    (name) => (meta.properties as Record<string, { fieldNames: string[] }>)[name]!.fieldNames[0]!,
  )
  const timestamps = [...types].filter(([, type]) => type.startsWith('timestamptz')).map(([column]) => column)
  const partitioned_by = meta.partitionBy?.expression as string | undefined
  const table = { name: meta.tableName, primary, types, timestamps, partitioned_by }
  tables.set(entity as object, table)
  return table
}

const ident = (name: string) => `"${name}"`

type Source = { from: string; column(name: string): string }

/**
 * Rows as a table `r`. A column with the same value in all rows is stated once, not in every row: half the columns of a
 * commit's rows of a table are constant, and each costs time to write, to send and to parse. Primary key columns stay
 * in the rows: for a constant part of the key the planner would read all rows that have it, instead of looking up the
 * wanted ones.
 */
function recordset(table: Table, columns: string[], rows: Values[], params: Params): Source {
  const shared = new Map<string, string>()
  const typed: string[] = []
  const varying: string[] = []
  for (const column of columns) {
    const type = table.types.get(column)
    if (!type) throw new Error(`table ${table.name} has no column ${column}`)
    const constant = table.primary.includes(column) ? undefined : constantOf(rows, column, type)
    if (constant !== undefined) shared.set(column, params.add(type, constant))
    else {
      typed.push(`${ident(column)} ${type}`)
      varying.push(column)
    }
  }
  const lean = shared.size === 0 ? rows : rows.map((row) => pick(row, varying))
  return {
    from: `json_to_recordset(${params.add('json', literal(JSON.stringify(lean)))}) as r(${typed.join(', ')})`,
    column: (name) => shared.get(name) ?? `r.${ident(name)}`,
  }
}

function pick(row: Values, columns: string[]): Values {
  const picked: Values = {}
  for (const column of columns) picked[column] = row[column]
  return picked
}

/** With fewer rows, finding constant columns costs more than it saves. */
const FEW = 4

/**
 * The value that a column has in every row, as a literal; undefined when values differ, or no literal can express them.
 */
function constantOf(rows: Values[], column: string, type: string): string | undefined {
  if (rows.length < FEW) return undefined
  const first = rows[0]![column]
  const at = first instanceof Date ? first.getTime() : undefined
  for (const row of rows) {
    const value = row[column]
    if (value !== first && !(at !== undefined && value instanceof Date && value.getTime() === at)) return undefined
  }
  if (first === null) return 'null'
  // The record set handles JSON, and refuses characters that PostgreSQL's text cannot hold.
  if (type.startsWith('json')) return undefined
  if (typeof first === 'string') return first.includes('\0') || !first.isWellFormed() ? undefined : literal(first)
  if (typeof first === 'number' || typeof first === 'boolean') return String(first)
  return at !== undefined && !Number.isNaN(at) ? literal((first as Date).toISOString()) : undefined
}

function insertion(table: Table, columns: string[], rows: Values[], params: Params): string {
  const source = recordset(table, columns, rows, params)
  const values = columns.map((column) => source.column(column)).join(', ')
  return `insert into ${ident(table.name)} (${columns.map(ident).join(', ')}) select ${values} from ${source.from}`
}

function matching(table: Table, source: Source): string {
  return table.primary.map((column) => `t.${ident(column)} = ${source.column(column)}`).join(' and ')
}

function groupByColumns(rows: Row[]): Row[][] {
  const groups = new Map<string, Row[]>()
  let columns: string[] = []
  let group: Row[] | undefined
  for (const row of rows) {
    const own = Object.keys(row.values)
    // Most writes have the same columns as the write before, in the same order.
    if (!group || own.length !== columns.length || own.some((column, place) => column !== columns[place])) {
      const signature = own.toSorted().join()
      group = groups.get(signature) ?? []
      groups.set(signature, group)
      columns = own
    }
    group.push(row)
  }
  return [...groups.values()]
}

/**
 * A record inserted twice stays so: the database refuses the second row, and only the turn that caused it is undone.
 */
function fold(record: Folded, kind: Write['kind'], values: Values): void {
  const { inserts } = record
  if (kind === 'remove') {
    // Inserted in this commit, so the table had no such record before, and nothing needs to be removed.
    record.removed ||= inserts.length === 0
    record.update = undefined
    record.upsert = undefined
    inserts.length = 0
  } else if (kind === 'insert') inserts.push(values)
  else if (inserts.length > 0) Object.assign(inserts[0]!, values)
  else if (record.upsert) Object.assign(record.upsert, values)
  else if (kind === 'upsert') {
    if (record.removed) inserts.push(values)
    else record.upsert = values
  } else if (!record.removed) record.update = { ...record.update, ...values }
}

/** Bounds of the partition column, so that PostgreSQL skips partitions without any of the rows. */
function bounds({ partitioned_by: column, types }: Table, keys: Values[], params: Params): string {
  if (column === undefined) return ''
  const values = keys.map((key) => key[column] as string).sort()
  const bound = (value: string) => params.add(types.get(column)!, literal(value))
  return ` and t.${ident(column)} between ${bound(values[0]!)} and ${bound(values.at(-1)!)}`
}

/** Drops columns that are `undefined`, which count as left out. */
function definedValues(values: Values): Values {
  const copy: Values = {}
  for (const column in values) if (values[column] !== undefined) copy[column] = values[column]
  return copy
}

/** Statements for the writes, in an order that is safe for unique indexes. */
export function compileWrites(orm: MikroORM, writes: Iterable<Write>): Statement[] {
  const byTable = new Map<Table, Map<string, Folded>>()
  for (const write of writes) {
    const table = tableOf(orm, write.entity)
    let records = byTable.get(table)
    if (!records) {
      records = new Map()
      byTable.set(table, records)
    }
    const key: Values = {}
    let id = ''
    for (const column of table.primary) {
      const value = write.key[column]
      if (value === undefined || value === null) throw new Error(`a write to ${table.name} lacks its key ${column}`)
      key[column] = value
      id += `${value}\u0000`
    }
    let record = records.get(id)
    if (!record) {
      record = { key, removed: false, inserts: [] }
      records.set(id, record)
    }
    fold(record, write.kind, definedValues(write.values))
  }
  const statements = {
    remove: [] as Statement[],
    update: [] as Statement[],
    upsert: [] as Statement[],
    insert: [] as Statement[],
  }
  for (const [table, records] of byTable) {
    const rows = { remove: [] as Values[], update: [] as Row[], upsert: [] as Row[], insert: [] as Row[] }
    for (const { key, removed, update, upsert, inserts } of records.values()) {
      if (removed) rows.remove.push(key)
      if (update) rows.update.push({ key, values: update })
      if (upsert) rows.upsert.push({ key, values: upsert })
      for (const values of inserts) rows.insert.push({ key, values })
    }
    const name = ident(table.name)
    if (rows.remove.length > 0) {
      const params = new Params()
      const source = recordset(table, table.primary, rows.remove, params)
      const where = `${matching(table, source)}${bounds(table, rows.remove, params)}`
      statements.remove.push({ text: `delete from ${name} t using ${source.from} where ${where}`, params: params.all })
    }
    for (const group of groupByColumns(rows.update)) {
      const columns = Object.keys(group[0]!.values)
      if (columns.length === 0) continue
      const params = new Params()
      const source = recordset(
        table,
        [...table.primary, ...columns.filter((column) => !table.primary.includes(column))],
        group.map((row) => ({ ...row.values, ...row.key })),
        params,
      )
      const set = columns.map((column) => `${ident(column)} = ${source.column(column)}`).join(', ')
      const within = bounds(
        table,
        group.map((row) => row.key),
        params,
      )
      const text = `update ${name} t set ${set} from ${source.from} where ${matching(table, source)}${within}`
      statements.update.push({ text, params: params.all })
    }
    for (const group of groupByColumns(rows.upsert)) {
      const all = group.map((row) => ({ ...row.key, ...row.values }))
      const columns = Object.keys(all[0]!)
      const rest = columns.filter((column) => !table.primary.includes(column))
      const set = rest.map((column) => `${ident(column)} = excluded.${ident(column)}`).join(', ')
      const action = rest.length > 0 ? `do update set ${set}` : 'do nothing'
      const conflict = table.primary.map(ident).join(', ')
      const params = new Params()
      const text = `${insertion(table, columns, all, params)} on conflict (${conflict}) ${action}`
      statements.upsert.push({ text, params: params.all })
    }
    for (const group of groupByColumns(rows.insert)) {
      const all = group.map((row) => row.values)
      const params = new Params()
      statements.insert.push({ text: insertion(table, Object.keys(all[0]!), all, params), params: params.all })
    }
  }
  return [...statements.remove, ...statements.update, ...statements.upsert, ...statements.insert]
}
