import { type Sql, sql } from '../../sql/sql.ts'
import type { Subject } from '../subject.ts'

/** The rows of a project, for tables with a column `project_id`. */
export function inProject({ subject_id }: Subject): Sql {
  return sql`project_id = ${subject_id}`
}

/** The rows of the channels of a project. */
export function inItsChannels(subject: Subject): Sql {
  return sql`channel_id in (select _id from channel where ${inProject(subject)})`
}
