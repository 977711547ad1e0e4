/**
 * The rows of uploaded files. A row lives as long as the file's bytes, because their removal starts from it.
 *
 *  M1 The row is stored before the bytes, while its project is there: the deletion of a project waits for it.
 *  M2 Until its bytes are stored, a row ends early (`STORING_MS`), so the tidying finds an upload whose node died. When
 *     such a row is deleted, its key goes to `blob_removal`: its bytes may still be arriving.
 */

import { writeAudit } from '../audit/write_audit.ts'
import type { Database } from '../database/database.ts'
import type { EntityManager } from '../database/entity_manager.ts'
import { Media } from '../entities/messages/media.ts'
import { type Sql, sql } from '../sql/sql.ts'
import { MAX_PUT, noteRemovals } from './blob_removals.ts'
import type { BlobStore } from './blob_store.ts'
import { removeFiles } from './file_removals.ts'

/** Lifetime of a row whose bytes are being stored, counted from `created_at`. */
export const STORING_MS = 3_600_000

/**
 * Stores the row of a file. Returns false when the project was erased.
 *
 * @param attempt that of the fetch of a person's file. It stores only while it is the last one, whoever stood still
 * meanwhile: the file may be stored by now, or erased. What an earlier attempt has left is forgotten: its bytes may still be
 * arriving, so its key is not used again.
 */
export function storeMedia(database: Database, row: Media, attempt?: number): Promise<boolean> {
  const { project_id, media_id } = row
  return database.em().transactional(async (em) => {
    const found = await em.execute(sql`select 1 from project where _id = ${project_id} for key share`)
    if (found.length === 0) return false
    if (attempt !== undefined) {
      const last = await em.execute(sql`
        select 1 from media_fetch where media_id = ${media_id} and attempts = ${attempt} and failed_at is null for share`)
      if (last.length === 0) return false
      await em.execute(deleteMedia(sql`media_id = ${media_id}`))
    }
    await em.insert(Media, row)
    return true
  })
}

/** The number and the bytes of a project's files whose bytes are stored here, counted up to `most` files. */
export async function countKeptFiles(
  database: Database,
  project_id: string,
  most: number,
): Promise<{ files: number; bytes: number }> {
  const [row] = await database.execute<{ files: number; bytes: number }>(sql`
    select count(*)::integer as files, coalesce(sum(file_size), 0)::float8 as bytes from (
      select file_size from media where project_id = ${project_id} and blob_key is not null limit ${most}) kept`)
  return row!
}

/**
 * Keeps a file whose bytes are stored until it expires. Returns false when the row was deleted, or is about to be.
 *
 * @param blob_key the one that the row is to have
 */
export async function keepMedia(
  database: Database,
  media_id: string,
  expires_at: Date,
  blob_key?: string,
): Promise<boolean> {
  const same = blob_key === undefined ? sql`` : sql`and blob_key = ${blob_key}`
  const kept = await database.execute(
    sql`update media set expires_at = ${expires_at} where media_id = ${media_id} and expires_at > now() ${same} returning 1`,
  )
  return kept.length > 0
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

function auditRemoval(database: Database, em: EntityManager, row: Media): Promise<void> {
  const { media_id: target_id, company_id, project_id } = row
  return writeAudit(database, em, { target_kind: 'media', target_id, company_id, project_id, before: row })
}

const EXPIRED = 200

/**
 * Removes the files that have expired by the clock of the database, the oldest first. Any node may do it at any time.
 * Returns their number.
 *
 * @throws {Error} at the end, when some could not be removed
 */
export async function expireMedia(database: Database, blobs: BlobStore): Promise<number> {
  return removeFiles<{ media_id: string; blob_key: string | null; expires_at: string }>(blobs, {
    page: EXPIRED,
    read: (last) =>
      database.execute(sql`
        select media_id, blob_key, expires_at::text as expires_at from media where expires_at <= now()
          ${last ? sql`and (expires_at, media_id) > (${last.expires_at}, ${last.media_id})` : sql``}
        order by expires_at, media_id limit ${EXPIRED} for update skip locked`),
    async remove({ media_id, blob_key }) {
      // Bytes first: without the row they would never be found.
      if (blob_key) await blobs.remove(blob_key)
      await forgetMedia(database, media_id)
      return true
    },
  })
}

/** Removes the row; its bytes must be gone. */
export async function forgetMedia(database: Database, media_id: string): Promise<void> {
  await database.execute(deleteMedia(sql`media_id = ${media_id}`))
}

/** SQL that deletes rows whose bytes were removed (M2). */
export function deleteMedia(where: Sql): Sql {
  return sql`
    with gone as (delete from media where ${where} returning blob_key, created_at, expires_at)
    ${noteRemovals(sql`select blob_key from gone where blob_key is not null and created_at > now() - ${MAX_PUT}
      and expires_at <= created_at + ${STORING_MS} * interval '1 millisecond'`)}`
}
