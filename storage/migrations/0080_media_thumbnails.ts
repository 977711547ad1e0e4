import { inTransaction, type Migration } from './step.ts'

/** Small versions of pictures. One ends with the row of its file, however that ends. */
export const mediaThumbnails: Migration = {
  name: '0080_media_thumbnails',
  steps: [
    inTransaction(
      `create table media_thumbnail (
        media_id text collate "C" primary key references media on delete cascade,
        -- WebP; null when the picture cannot be read.
        bytes bytea,
        failure text
      )`,
    ),
  ],
}
