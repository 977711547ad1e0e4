import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A visitor's browser that said something. Only the SHA-256 of its token is stored (`hash`, hex). */
export const VisitorSession = defineEntity({
  name: 'VisitorSession',
  tableName: 'visitor_session',
  properties: {
    hash: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    channel_id: p.text(),
    user_id: p.text(),
    /** The site named the visitor by a signed token. */
    is_identified: p.boolean(),
    created_at: p.datetime(3),
    /** Exact to some minutes. */
    used_at: p.datetime(3),
    expires_at: p.datetime(3),
    ended_at: p.datetime(3).nullable(),
  },
})

export type VisitorSession = InferEntity<typeof VisitorSession>
