import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A person of a company. `email` is unique over the installation, whatever its case, because it signs in to the console. */
export const User = defineEntity({
  name: 'User',
  tableName: 'user',
  properties: {
    _id: p.text().primary(),
    company_id: p.text(),
    full_name: p.text(),
    email: p.text(),
    /** A scrypt envelope (`hashPassword`), or null for a user that cannot sign in. */
    password_hash: p.text().nullable(),
    permissions: p.array<string>().columnType('text[]'),
    is_active: p.boolean(),
    /** SHA-256 (hex) of the photo, which `user_photo` has. Visitors of the web chat see it. */
    photo_sha256: p.text().nullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type User = InferEntity<typeof User>
