import { Migration } from '@mikro-orm/migrations'

/**
 * How far contacts that projects share have been taken apart (storage/contact_separation.ts). The work itself is done beside
 * the nodes, in small steps: in a migration it would lock what nodes of the version before are still working with.
 */
export class Migration0014ContactSeparation extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement)
  }

  override down(): void {
    this.addSql('drop table contact_separation')
  }
}

const statements = [
  // One row. `up_to`: the last contact that was looked at; `found`: how many were shared in this walk.
  `create table contact_separation (
    one boolean primary key default true constraint contact_separation_one_check check (one),
    up_to text collate "C" not null default '',
    found integer not null default 0,
    busy_until timestamptz(3),
    ended_at timestamptz(3)
  )`,
  `insert into contact_separation default values`,
]
