/** The part of a record that is a row's columns as they are stored. */
import type * as v from 'valibot'
import type { InMemory } from './fields.ts'

/** Columns of a row that the record shows: a nullable one may be missing. */
type Stored<Shown> = { [Key in keyof Shown]: null extends Shown[Key] ? Shown[Key] | undefined : Shown[Key] }

type Columns = v.ObjectSchema<v.ObjectEntries, undefined>

type Shown<Schema extends Columns> = InMemory<v.InferOutput<Schema>>

/** The values of these columns in the row; null where the row has none. */
export function valuesOf<Schema extends Columns>({ entries }: Schema, row: Stored<Shown<Schema>>): Shown<Schema> {
  const values: Record<string, unknown> = {}
  for (const key in entries) values[key] = row[key as unknown as keyof Shown<Schema>] ?? null
  return values as Shown<Schema>
}
