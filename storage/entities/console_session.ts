import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/**
 * An agent who has signed in to the console. The cookie's value itself is never stored, only the SHA-256 of it (`hash`, hex).
 * A row says only that somebody signed in: whether the user still may is asked of the user each time.
 */
export const ConsoleSession = defineEntity({
  name: 'ConsoleSession',
  tableName: 'console_session',
  properties: {
    hash: p.text().primary(),
    user_id: p.text(),
    created_at: p.datetime(3),
    /** Within some minutes: it is not written for each request. */
    used_at: p.datetime(3),
    expires_at: p.datetime(3),
  },
})

export type ConsoleSession = InferEntity<typeof ConsoleSession>
