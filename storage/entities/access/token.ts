import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A personal access token. The secret itself is never stored, only the SHA-256 of it (`hash`, hex). */
export const Token = defineEntity({
  name: 'Token',
  tableName: 'token',
  properties: {
    _id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    user_id: p.text(),
    name: p.text(),
    /** The first characters of the secret, so that people can tell their tokens apart. */
    prefix: p.text(),
    hash: p.text(),
    scopes: p.array<string>().columnType('text[]'),
    expires_at: p.datetime(3).nullable(),
    revoked_at: p.datetime(3).nullable(),
    /** Up to a minute old: a token is written once a minute at most. */
    last_used_at: p.datetime(3).nullable(),
    /** Days of the last warning that the token expires, sent for the expiry `warned_expires_at`. */
    warned_days: p.integer().nullable(),
    warned_expires_at: p.datetime(3).nullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type Token = InferEntity<typeof Token>
