/** Messages of the actors of a subject's projects: the engine's tables have them of all tenants. */
import { type Sql, sql } from '../../sql/sql.ts'
import type { Subject } from '../subject.ts'

/**
 * A condition of SQL: the message goes to an actor of these projects, or names one of them. Identities are looked for in
 * these messages alone, because other tenants know the same numbers.
 */
export function ofProjects(message: Sql, { projects }: Pick<Subject, 'projects'>): Sql {
  const all = sql`${projects}`
  const of = (kind: string, id: Sql) =>
    sql`select ${`${kind}/`} || ${id} from ${sql.id(kind)} where project_id = any (${all})`
  const names = sql`${projects.map((project_id) => `%${project_id}%`)}`
  return sql`(${message}::text like any (${names}) or address in (
    select kind || one from unnest(${all}) one, unnest(array['project/', 'test_runs/']) kind
    union all ${of('channel', sql`_id`)}
    union all ${of('subscription', sql`id`)} union all ${of('broadcast', sql`id`)}))`
}
