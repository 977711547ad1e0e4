/** The database that the databases of tests are copies of. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

/**
 * Adds a column to every table, as the next release may do while nodes of this release work. No test may notice the
 * column: no answer and no event may show it, and nothing may depend on the number of columns.
 */
export const LATER = `do $$
  declare name text;
  begin
    for name in select relname from pg_class c where relkind in ('r', 'p') and not relispartition
      and relnamespace = 'public'::regnamespace and relname not like 'migration%'
    loop
      execute format('alter table %I add column of_a_later_release text default ''later''', name);
    end loop;
  end $$`

/**
 * Names the template after the migrations, so a server that outlives a run never serves the tables of an older release.
 */
export function templateName(): string {
  const directory = new URL('../../storage/migrations/', import.meta.url)
  const hash = createHash('sha256').update(LATER)
  for (const file of readdirSync(directory).sort()) hash.update(readFileSync(new URL(file, directory)))
  return `template_${hash.digest('hex').slice(0, 16)}`
}
