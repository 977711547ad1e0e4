/** Messages of the actors of a subject's projects: the engine's tables have them of all tenants. */
import { type Subject, textArray } from '../subject.ts'

/**
 * A condition of SQL: the message goes to an actor of these projects, or names one of them. Identities are looked for in
 * these messages alone, because other tenants know the same numbers.
 */
export function ofProjects(message: string, { projects }: Pick<Subject, 'projects'>): string {
  const all = textArray(projects)
  const of = (kind: string, id: string) => `select '${kind}/' || ${id} from ${kind} where project_id = any (${all})`
  const names = textArray(projects.map((project_id) => `%${project_id}%`))
  return `(${message}::text like any (${names}) or address in (
    select 'project/' || one from unnest(${all}) one union all ${of('channel', '_id')}
    union all ${of('subscription', 'id')} union all ${of('broadcast', 'id')}))`
}
