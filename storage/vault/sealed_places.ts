/**
 * Every column with values that the vault has sealed. The rotation of `PARLEY_SECRET` seals these values anew, and reports
 * which keys they need. A value in any other column would be lost with the old secret, so a test compares this list with
 * the calls of the vault.
 */
import { type Sql, sql } from '../sql/sql.ts'

/** Names under which the values of these columns are sealed. */
export type SealedName = 'credentials' | 'headers' | 'secret' | 'previous_secret' | 'answer' | 'sealed'

/** A column of sealed values. Its expressions are SQL over the row `t`. */
export type SealedPlace = {
  table: string
  /** Columns of the primary key, in the order of its index, with their types. */
  key: readonly (readonly [name: string, type: string])[]
  /** The column that has the envelope. */
  column: string
  /** The envelope; null for a row without one. */
  sealed: Sql
  /** The assignment of another envelope, which `next` is an expression for. */
  assign(next: Sql): Sql
  /** The record that the envelope is sealed for, from the values of the key. */
  record_id(key: readonly string[]): string
  /** The name that the envelope is sealed for. */
  name: SealedName
}

const column = (table: string, key: string, name: SealedName): SealedPlace => ({
  table,
  key: [[key, 'text']],
  column: name,
  sealed: sql`t.${sql.id(name)}`,
  assign: (next) => sql`${sql.id(name)} = ${next}`,
  record_id: ([id]) => id!,
  name,
})

/** A table of one row, which is sealed for the name of the table. */
const only = (table: string): SealedPlace => ({
  ...column(table, 'id', 'sealed'),
  key: [['id', 'smallint']],
  record_id: () => table,
})

/** The canary is last: a node without the new key must not start once anything is sealed with it alone. */
export const sealedPlaces: readonly SealedPlace[] = [
  column('channel', '_id', 'credentials'),
  column('subscription', 'id', 'secret'),
  column('subscription', 'id', 'previous_secret'),
  column('subscription', 'id', 'headers'),
  column('webhook_key', 'id', 'sealed'),
  column('agent_tool', '_id', 'headers'),
  {
    table: 'idempotency',
    key: [
      ['project_id', 'text'],
      ['route', 'text'],
      ['key', 'text'],
    ],
    column: 'body',
    // Compares the text: PostgreSQL cannot extract a field beside characters that its text cannot hold.
    sealed: sql`substring(t.body::text from '^\\s*\\{\\s*"sealed"\\s*:\\s*"([^"]+)"\\s*\\}\\s*$')`,
    assign: (next) => sql`body = json_build_object('sealed', ${next})`,
    record_id: (key) => key.join(' '),
    name: 'answer',
  },
  only('data_erasure_pepper'),
  only('vault_canary'),
]

/** The values of a key, with their types. */
export function typedKey({ key: columns }: SealedPlace, key: readonly string[]): Sql {
  return sql.join(
    columns.map(([, type], n) => sql`${key[n]!}::${sql.raw(type, 'a type of the list of places')}`),
    ',',
  )
}
