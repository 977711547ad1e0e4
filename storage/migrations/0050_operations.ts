import { buildIndex, type Migration } from './step.ts'

/** Indexes for the operators' part of the console: its lists begin with what needs attention, among any number of rows. */
export const operations: Migration = {
  name: '0050_operations',
  steps: [
    buildIndex('channel_unwell', `channel (_id) where is_active and status <> 'connected'`),
    buildIndex('subscription_disabled', 'subscription (id) where disabled_reason is not null and deleted_at is null'),
    buildIndex('token_live', 'token (_id) where revoked_at is null'),
    buildIndex('token_revoked', 'token (_id) where revoked_at is not null'),
    buildIndex('user_operator', `"user" (_id) where 'console.operator' = any(permissions)`),
    buildIndex('user_address', `"user" ((lower(email) collate "C"), _id)`),
    buildIndex('user_full_name', `"user" ((lower(full_name) collate "C"), _id)`),
    buildIndex('audit_entry_actor_kind', 'audit_entry (actor_kind, _id desc)'),
    buildIndex('audit_entry_target_kind', 'audit_entry (target_kind, _id desc)'),
  ],
}
