import { Migration } from '@mikro-orm/migrations'

/** A known text under the `PARLEY_SECRET` of this database, so that a node with another one is found out. */
export class Migration0020VaultCanary extends Migration {
  override up(): void {
    this.addSql(`create table vault_canary (
      id smallint primary key check (id = 1),
      sealed text collate "C" not null,
      created_at timestamptz(3) not null default now()
    )`)
  }

  override down(): void {
    this.addSql('drop table vault_canary')
  }
}
