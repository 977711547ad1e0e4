import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** The photo of a user. It is named by its content, so a changed photo has another address. */
export const UserPhoto = defineEntity({
  name: 'UserPhoto',
  tableName: 'user_photo',
  properties: {
    user_id: p.text().primary(),
    mime_type: p.text(),
    /** Hex. */
    sha256: p.text(),
    /** Base64. */
    content: p.text(),
    created_at: p.datetime(3),
  },
})

export type UserPhoto = InferEntity<typeof UserPhoto>
