import { literal } from '../../write_set.ts'
import type { Subject } from '../subject.ts'

/** The rows of a project, for tables with a column `project_id`. */
export function inProject({ subject_id }: Subject): string {
  return `project_id = ${literal(subject_id)}`
}

/** The rows of the channels of a project. */
export function inItsChannels(subject: Subject): string {
  return `channel_id in (select _id from channel where ${inProject(subject)})`
}
