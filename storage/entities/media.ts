import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A file uploaded through the API. Its bytes are with the provider of its channel, or in the blob store. */
export const Media = defineEntity({
  name: 'Media',
  tableName: 'media',
  properties: {
    media_id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    /** The channel whose provider keeps it; null when it is in the blob store, for every channel. */
    channel_id: p.text().nullable(),
    provider_media_id: p.text().nullable(),
    mime_type: p.text(),
    /** Bytes. */
    file_size: p.integer(),
    /** Hex, lower case. */
    sha256: p.text(),
    filename: p.text().nullable(),
    blob_key: p.text().nullable(),
    created_at: p.datetime(3),
    /** From then on it is not found; what is left of it is removed within the hour. */
    expires_at: p.datetime(3),
  },
})

export type Media = InferEntity<typeof Media>
