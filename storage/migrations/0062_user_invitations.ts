import { inTransaction, type Migration } from './step.ts'

/** Invitations of users, who set their own first passwords. */
export const userInvitations: Migration = {
  name: '0062_user_invitations',
  steps: [
    inTransaction(
      `create table user_invitation (
    user_id text collate "C" primary key references "user" on delete cascade,
    hash text collate "C" not null,
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3) not null
  )`,
      `create unique index user_invitation_hash on user_invitation (hash)`,
    ),
  ],
}
