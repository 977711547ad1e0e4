import { Migration } from '@mikro-orm/migrations'

/**
 * What searches read.
 *
 * - Texts are compared in the lower case that the database's own locale makes of them.
 * - `btree_gin` puts whose a row is into the same index as what it says, so that a search costs what its own project or
 *   company has. It comes with PostgreSQL and is trusted, as `pg_trgm` is.
 */
export class Migration0011Search extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement)
  }

  override down(): void {
    this.addSql('drop index contact_search')
    this.addSql('drop function contact_text')
  }
}

const statements = [
  'create extension if not exists btree_gin',

  // The parts are kept apart by what no search can contain.
  `create function contact_text(name text, phone text, user_id text) returns text
    language sql immutable parallel safe
    return lower(coalesce(name, '') || E'\\x01' || coalesce(phone, '') || E'\\x01' || user_id)`,
  `create index contact_search on contact using gin (project_id, contact_text(name, phone, user_id) gin_trgm_ops)`,
]
