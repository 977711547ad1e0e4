import { Migration } from '@mikro-orm/migrations'

/** Agents who are signed in to the console, and tries to. */
export class Migration0013ConsoleSessions extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement)
  }

  override down(): void {
    this.addSql('drop table sign_in_window, console_session')
  }
}

const statements = [
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
]
