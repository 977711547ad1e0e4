import { buildIndex, inTransaction, type Migration } from './step.ts'

/** When a token was last used, and which warning of its expiry was sent last. The project's actor writes both. */
export const tokenUse: Migration = {
  name: '0037_token_use',
  steps: [
    inTransaction(
      `alter table token add column last_used_at timestamptz(3), add column warned_days integer,
    add column warned_expires_at timestamptz(3)`,
    ),
    // For the search for tokens that expire soon.
    buildIndex('token_expiry', 'token (expires_at) where revoked_at is null'),
  ],
}
