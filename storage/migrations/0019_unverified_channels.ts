import { Migration } from '@mikro-orm/migrations'

/** A channel whose provider has not answered yet is neither connected nor disconnected. */
export class Migration0019UnverifiedChannels extends Migration {
  override up(): void {
    this.addSql(`alter table channel drop constraint channel_status_check,
      add constraint channel_status_check check (status in ('unverified', 'connected', 'disconnected'))`)
  }

  override down(): void {
    this.addSql(`update channel set status = 'connected' where status = 'unverified'`)
    this.addSql(`alter table channel drop constraint channel_status_check,
      add constraint channel_status_check check (status in ('connected', 'disconnected'))`)
  }
}
