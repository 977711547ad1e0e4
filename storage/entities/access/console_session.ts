import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/**
 * An agent who has signed in to the console. Only the SHA-256 of the cookie's value is stored (`hash`, hex). A row
 * proves the sign-in only: the user's present permission is checked each time.
 */
export const ConsoleSession = defineEntity({
  name: 'ConsoleSession',
  tableName: 'console_session',
  properties: {
    hash: p.text().primary(),
    user_id: p.text(),
    created_at: p.datetime(3),
    /** Exact to some minutes, because it is not written for each request. */
    used_at: p.datetime(3),
    expires_at: p.datetime(3),
  },
})

export type ConsoleSession = InferEntity<typeof ConsoleSession>
