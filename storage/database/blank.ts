import type { EntitySchema } from '@mikro-orm/core'
import type { EntityRef } from './write_set.ts'

/** Columns that a new row has to be given: all, but those that may be null. */
type Values<Row> = { [Key in keyof Row as null extends Row[Key] ? never : Key]: Row[Key] } & {
  [Key in keyof Row as null extends Row[Key] ? Key : never]?: Row[Key]
}

const nulls = new WeakMap<object, object>()

/** A new row of the entity: the given columns, and null in all others. */
export function blank<Row extends object>(entity: EntityRef<Row>, values: Values<NoInfer<Row>>): Row {
  let empty = nulls.get(entity as object)
  if (!empty) {
    const { properties } = (entity as unknown as EntitySchema).meta
    const nullable = Object.entries<{ nullable?: boolean }>(properties).filter(([, column]) => column.nullable)
    empty = Object.fromEntries(nullable.map(([name]) => [name, null]))
    nulls.set(entity as object, empty)
  }
  return { ...empty, ...values } as Row
}
