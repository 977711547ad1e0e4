import { Migration } from '@mikro-orm/migrations'

/** Whose turn it is among the broadcasts of a channel; and messages between actors as they come. */
export class Migration0012DispatchBroadcast extends Migration {
  override up(): void {
    this.addSql('alter table dispatch add column broadcast_id text collate "C"')
    // A slice of a broadcast is 10 to 50 KB that live for milliseconds: compressing them cost half of storing them.
    this.addSql('alter table outbox alter column message set storage external')
  }

  override down(): void {
    this.addSql('alter table outbox alter column message set storage extended')
    this.addSql('alter table dispatch drop column broadcast_id')
  }
}
