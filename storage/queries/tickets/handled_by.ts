import { type Sql, sql } from '../../sql/sql.ts'

/** Whose turn it is, of a ticket or an entry of the inbox: null stands for a person where it is assigned, for nobody otherwise. */
export function handledBy(alias: Sql): Sql {
  return sql`coalesce(${alias}.handled_by, case when ${alias}.assigned_to is null then 'nobody' else 'person' end)`
}
