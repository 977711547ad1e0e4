/** The rows of uploaded files. A row lives as long as the file's bytes, because their removal starts from it. */
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { writeAudit } from './audit/write_audit.ts'
import type { Database } from './database.ts'
import { Media } from './entities/media.ts'
import { readRows } from './read_rows.ts'

export async function storeMedia(database: Database, row: Media): Promise<void> {
  await database.em().insert(Media, row)
}

/** Changes when it expires; an expired file is not found any more. */
export async function expireMedia(database: Database, media_id: string, expires_at: Date): Promise<void> {
  await database.em().nativeUpdate(Media, { media_id }, { expires_at })
}

/** Ends a file at the request of a client, before its bytes are removed. */
export function withdrawMedia(database: Database, row: Media): Promise<void> {
  return database.em().transactional(async (em) => {
    await em.nativeUpdate(Media, { media_id: row.media_id }, { expires_at: new Date(0) })
    await auditRemoval(database, em, row)
  })
}

/** Removes the row of a file that its provider has removed, at the request of a client. */
export function removeMedia(database: Database, row: Media): Promise<void> {
  return database.em().transactional(async (em) => {
    await em.nativeDelete(Media, { media_id: row.media_id })
    await auditRemoval(database, em, row)
  })
}

function auditRemoval(database: Database, em: SqlEntityManager, row: Media): Promise<void> {
  const { media_id: target_id, company_id, project_id } = row
  return writeAudit(database, em, { target_kind: 'media', target_id, company_id, project_id, before: row })
}

/** The oldest files that have expired by the clock of the database. */
export async function listExpiredMedia(database: Database, limit: number): Promise<Media[]> {
  const ids = await database.execute<{ media_id: string }>(
    `select media_id from media where expires_at <= now() order by expires_at limit ${limit}`,
  )
  return ids.length === 0 ? [] : readRows(database, Media, { media_id: ids.map(({ media_id }) => media_id) })
}

/** Removes the row; its bytes must be gone. */
export async function forgetMedia(database: Database, media_id: string): Promise<void> {
  await database.em().nativeDelete(Media, { media_id })
}
