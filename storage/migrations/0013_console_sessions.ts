import { inTransaction, type Migration } from './step.ts'

/** Sessions of agents in the console, and attempts to sign in. */
export const consoleSessions: Migration = {
  name: '0013_console_sessions',
  steps: [
    inTransaction(
      `create table console_session (
    hash text collate "C" primary key,
    user_id text collate "C" not null references "user" on delete cascade,
    created_at timestamptz(3) not null default now(),
    used_at timestamptz(3) not null default now(),
    expires_at timestamptz(3) not null
  )`,
      `create index console_session_user on console_session (user_id)`,

      `create table sign_in_window (
    key text collate "C" primary key,
    attempts jsonb not null
  )`,
    ),
  ],
}
