/** How long each project keeps its records. */

import { writeAudit } from '../audit/write_audit.ts'
import type { Database } from '../database/database.ts'
import type { EntityManager } from '../database/entity_manager.ts'
import { ChangeRefused } from '../setup/change_refused.ts'
import { sql } from '../sql/sql.ts'
import { type ConfiguredDays, type RetentionKind, type RetentionName, retentionKinds, retentionNames } from './kinds.ts'

/** `days`: null for ever. */
export type RetentionSetting = {
  kind: RetentionName
  meaning: string
  days: number | null
  default_days: number | null
  is_default: boolean
}

/** Days by kind; null for ever, `default` for the setting of the installation. */
export type RetentionChanges = Partial<Record<RetentionName, number | null | 'default'>>

/** Days of a kind without a setting. */
export function defaultDays(kind: RetentionName, configured: ConfiguredDays): number | null {
  const { days }: RetentionKind = retentionKinds[kind]
  return typeof days === 'string' ? configured[days] : days
}

/** @throws {ChangeRefused} NOT_FOUND when there is no such project */
export async function readRetention(
  database: Database,
  project_id: string,
  configured: ConfiguredDays,
): Promise<RetentionSetting[]> {
  const rows = await database.execute<{ kind: string | null; days: number | null }>(
    sql`select kind, days from project left join retention on project_id = _id where _id = ${project_id}`,
  )
  if (rows.length === 0) throw new ChangeRefused('NOT_FOUND')
  const own = new Map(rows.map(({ kind, days }) => [kind, days]))
  return retentionNames.map((kind) => {
    const default_days = defaultDays(kind, configured)
    const days = own.has(kind) ? own.get(kind)! : default_days
    return { kind, meaning: retentionKinds[kind].meaning, days, default_days, is_default: days === default_days }
  })
}

/**
 * Changes some settings of a project. They apply from the next tidying on, within an hour.
 * @throws {ChangeRefused} NOT_FOUND when there is no such project
 */
export async function changeRetention(
  database: Database,
  project_id: string,
  changes: RetentionChanges,
  configured: ConfiguredDays,
): Promise<void> {
  await database.em().transactional(async (em) => {
    const [project] = await em.execute<{ company_id: string }[]>(
      sql`select company_id from project where _id = ${project_id} for key share`,
    )
    if (!project) throw new ChangeRefused('NOT_FOUND')
    const before = await ownDays(em, project_id)
    for (const [kind, setting] of Object.entries(changes) as [RetentionName, number | null | 'default'][]) {
      const days = setting === 'default' ? defaultDays(kind, configured) : setting
      // The expiry of a file is stored with it, and has to be moved back.
      if (setting === 'default' && kind !== 'media') {
        await em.execute(sql`delete from retention where project_id = ${project_id} and kind = ${kind}`)
      } else {
        await em.execute(sql`insert into retention (project_id, kind, days) values (${project_id}, ${kind}, ${days})
          on conflict (project_id, kind) do update set days = excluded.days, updated_at = now()`)
      }
      // Records that a walk has passed may have to be deleted now.
      await em.execute(sql`delete from retention_walk where kind = ${kind}`)
    }
    const after = await ownDays(em, project_id)
    const of = { target_kind: 'retention', target_id: project_id, company_id: project.company_id, project_id }
    await writeAudit(database, em, { ...of, before, after })
  })
}

/** The project's own settings. */
async function ownDays(em: EntityManager, project_id: string): Promise<Record<string, number | null>> {
  const rows = await em.execute<{ kind: string; days: number | null }[]>(
    sql`select kind, days from retention where project_id = ${project_id}`,
  )
  return Object.fromEntries(rows.map(({ kind, days }) => [kind, days]))
}
