import { Migration } from '@mikro-orm/migrations'

/** A person's window is one of each channel: a contact that is tied to a channel type alone may write to several. */
export class Migration0008ContactWindows extends Migration {
  override up(): void {
    this.addSql(`alter table contact add column windows jsonb not null default '{}'`)
    this.addSql(`update contact set windows = jsonb_build_object(channel_id,
      to_char((last_inbound_at + interval '24 hours') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      where last_inbound_at is not null and channel_id is not null`)
    this.addSql('alter table contact drop column last_inbound_at')
  }

  override down(): void {
    this.addSql('alter table contact add column last_inbound_at timestamptz(3)')
    this.addSql('alter table contact drop column windows')
  }
}
