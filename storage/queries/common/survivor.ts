import { type Sql, sql } from '../../sql/sql.ts'

/** The contact that the one with this id was merged into, else the id itself. In SQL, for a condition on `chat_user`. */
export function survivorId(contact_id: string): Sql {
  return sql`coalesce((select merged_into from contact where _id = ${contact_id}), ${contact_id})`
}

/** A condition of a list: the column has this value. A contact is looked for by any of its ids. */
export function hasExactly(alias: Sql, column: string, value: string | boolean): Sql {
  const match = column === 'chat_user' && typeof value === 'string' ? survivorId(value) : sql`${value}`
  return sql`${alias}.${sql.id(column)} = ${match}`
}
