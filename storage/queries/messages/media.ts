/** Uploaded files. An expired file is not found, whether or not it was removed already. */
import type { Database } from '../../database/database.ts'
import { readRows } from '../../database/read_rows.ts'
import { Media } from '../../entities/messages/media.ts'
import { isObjectId } from '../../values/ids.ts'

/** The project's files with these ids. */
export async function readMedia(
  database: Database,
  project_id: string,
  media_ids: readonly string[],
  now: Date,
): Promise<Media[]> {
  const ours = media_ids.filter(isObjectId)
  if (ours.length === 0) return []
  const rows = await readRows(database, Media, { media_id: ours, project_id })
  return rows.filter(({ expires_at }) => expires_at > now)
}

export async function findMedia(
  database: Database,
  project_id: string,
  media_id: string,
  now: Date,
): Promise<Media | undefined> {
  return (await readMedia(database, project_id, [media_id], now))[0]
}

/** The file that the provider of a channel stores under this id, if it was uploaded through us. */
export async function findProviderMedia(
  database: Database,
  channel_id: string,
  provider_media_id: string,
  now: Date,
): Promise<Media | undefined> {
  const rows = await readRows(database, Media, { channel_id, provider_media_id })
  return rows.find(({ expires_at }) => expires_at > now)
}

/** The file that a person sent and that is here by now, by the id of the provider. */
export async function findReceivedMedia(
  database: Database,
  project_id: string,
  received_media_id: string,
  now: Date,
): Promise<Media | undefined> {
  const rows = await readRows(database, Media, { project_id, received_media_id })
  return rows.find(({ expires_at }) => expires_at > now)
}

/** A file of any project, for a caller whose signed link proves the permission. */
export async function findLinkedMedia(database: Database, media_id: string, now: Date): Promise<Media | undefined> {
  if (!isObjectId(media_id)) return undefined
  const [row] = await readRows(database, Media, { media_id })
  return row && row.expires_at > now ? row : undefined
}
