import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A file uploaded through the API. The provider of its channel or the blob store has its bytes. */
export const Media = defineEntity({
  name: 'Media',
  tableName: 'media',
  properties: {
    media_id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    /** The channel whose provider stores it; null when it is in the blob store, for every channel. */
    channel_id: p.text().nullable(),
    provider_media_id: p.text().nullable(),
    /** The id of the provider for a file that a person sent and that is in the blob store. Clients may ask for it by that id. */
    received_media_id: p.text().nullable(),
    /** True once a message has sent it to somebody; null before. */
    is_sent_on: p.boolean().nullable(),
    mime_type: p.text(),
    /** Bytes. */
    file_size: p.integer(),
    /** Hex, lower case. */
    sha256: p.text(),
    filename: p.text().nullable(),
    blob_key: p.text().nullable(),
    created_at: p.datetime(3),
    /** From this time it is not found; its remains are removed within the hour. */
    expires_at: p.datetime(3),
  },
})

export type Media = InferEntity<typeof Media>
