import { Migration } from '@mikro-orm/migrations'

/** Rate windows outlive the node that counts them. */
export class Migration0003RateWindow extends Migration {
  override up(): void {
    this.addSql(`create table rate_window (
      project_id text collate "C" primary key,
      counts jsonb not null
    ) with (fillfactor = 50)`)
  }

  override down(): void {
    this.addSql('drop table rate_window')
  }
}
