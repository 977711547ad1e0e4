/** Small versions of pictures. */
import type { Database } from '../database/database.ts'
import { readRows } from '../database/read_rows.ts'
import { MediaThumbnail } from '../entities/messages/media_thumbnail.ts'
import { sql } from '../sql/sql.ts'

export async function findThumbnail(database: Database, media_id: string): Promise<MediaThumbnail | undefined> {
  return (await readRows(database, MediaThumbnail, { media_id }))[0]
}

/** Keeps it as long as the file has a row. The first one stays. */
export async function keepThumbnail(database: Database, { media_id, bytes, failure }: MediaThumbnail): Promise<void> {
  await database.execute(sql`
    insert into media_thumbnail (media_id, bytes, failure)
    select media_id, ${bytes ?? null}, ${failure ?? null} from media where media_id = ${media_id} for key share
    on conflict do nothing`)
}
