import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** The latest invitation of a user without a password. Only the SHA-256 of the link's secret is stored (`hash`, hex). */
export const UserInvitation = defineEntity({
  name: 'UserInvitation',
  tableName: 'user_invitation',
  properties: {
    user_id: p.text().primary(),
    hash: p.text(),
    created_at: p.datetime(3),
    expires_at: p.datetime(3),
  },
})

export type UserInvitation = InferEntity<typeof UserInvitation>
