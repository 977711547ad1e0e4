import type { FilterQuery } from '@mikro-orm/core'
import type { Database } from '../../database/database.ts'
import { Template } from '../../entities/messages/template.ts'
import { type Page, type PageOptions, toPage } from '../common/keyset.ts'

export type TemplateFilter = { channel_id?: string; name?: string; language?: string }

/** The project's templates, the most recently discovered first. */
export async function listTemplates(
  database: Database,
  project_id: string,
  filter: TemplateFilter,
  { limit, cursor }: PageOptions,
): Promise<Page<Template>> {
  const where: FilterQuery<Template> & object = { project_id }
  if (cursor) where._id = { $lt: cursor }
  if (filter.channel_id) where.channel_id = filter.channel_id
  if (filter.name) where.name = filter.name
  if (filter.language) where.language = filter.language
  const rows = await database.em().find(Template, where, { orderBy: { _id: 'desc' }, limit: limit + 1 })
  return toPage(rows, limit, ({ _id }) => _id)
}

/** Null when the project has no such template. */
export function findTemplate(database: Database, project_id: string, _id: string): Promise<Template | null> {
  return database.em().findOne(Template, { _id, project_id })
}
