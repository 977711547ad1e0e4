import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** The small version of a picture, made when somebody first looks at it. The row ends with that of the file. */
export const MediaThumbnail = defineEntity({
  name: 'MediaThumbnail',
  tableName: 'media_thumbnail',
  properties: {
    media_id: p.text().primary(),
    /** WebP. Null when none can be made. */
    bytes: p.blob().nullable(),
    /** The reason why none can be made. */
    failure: p.text().nullable(),
  },
})

export type MediaThumbnail = InferEntity<typeof MediaThumbnail>
