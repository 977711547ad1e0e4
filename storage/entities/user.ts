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
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type User = InferEntity<typeof User>
