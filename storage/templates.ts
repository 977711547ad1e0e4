import type { Database } from './database/database.ts'
import type { Channel } from './entities/channel.ts'
import { Template } from './entities/messages/template.ts'
import { sql } from './sql/sql.ts'
import { objectId } from './values/ids.ts'

/** A template as the provider describes it, without our keys. */
export type SyncedTemplate = Pick<Template, 'name' | 'language' | 'status' | 'category' | 'components'>

/**
 * Makes the stored templates of a channel equal to the provider's list. A template that stays keeps its `_id`. Two
 * synchronisations of one channel run one after the other; the later one wins.
 */
export async function replaceTemplates(
  database: Database,
  channel: Channel,
  templates: readonly SyncedTemplate[],
  now: Date,
): Promise<void> {
  const byName = new Map(templates.map((template) => [`${template.name}\n${template.language}`, template]))
  const rows = [...byName.values()].map((template) => ({
    _id: objectId(),
    company_id: channel.company_id,
    project_id: channel.project_id,
    channel_id: channel._id,
    ...template,
    synced_at: now,
  }))
  await database.em().transactional(async (em) => {
    await em.execute(sql`select 1 from channel where _id = ${channel._id} for update`)
    const stored = await em.find(Template, { channel_id: channel._id })
    const kept = new Map(stored.map((row) => [`${row.name}\n${row.language}`, row._id]))
    const gone = stored.filter((row) => !byName.has(`${row.name}\n${row.language}`)).map(({ _id }) => _id)
    if (gone.length > 0) await em.nativeDelete(Template, { _id: { $in: gone } })
    for (const row of rows) row._id = kept.get(`${row.name}\n${row.language}`) ?? row._id
    if (rows.length > 0) await em.upsertMany(Template, rows, { onConflictFields: ['_id'] })
  })
}
