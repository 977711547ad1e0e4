import { Migration } from '@mikro-orm/migrations'

/** What a channel needs to send bulk messages behind others, and at the speed its account has. */
export class Migration0007ChannelPace extends Migration {
  override up(): void {
    this.addSql('alter table dispatch add column is_bulk boolean not null default false')
    this.addSql(
      `alter table channel add column messages_per_second integer
       constraint channel_messages_per_second_check check (messages_per_second between 1 and 100000)`,
    )
  }

  override down(): void {
    this.addSql('alter table channel drop column messages_per_second')
    this.addSql('alter table dispatch drop column is_bulk')
  }
}
