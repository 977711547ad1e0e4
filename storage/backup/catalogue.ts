/** The tables and sequences of a database, read from PostgreSQL's catalogue: whatever a migration adds is in a backup. */
import { rowsOf } from '../connections/rows_of.ts'
import type { Session } from '../connections/session.ts'
import { sql } from '../sql/sql.ts'

/** Rows that are not copied, and why. */
export const LEFT_OUT: Record<string, string> = {
  migration: 'the migrations of the restored database write it; the archive names them',
  migration_progress: 'no backup is made while a migration is under way',
  node: 'the leases of running nodes',
  lane: 'the lanes of running nodes',
  console_session: 'a session that was ended after the backup must not live again: agents sign in again',
  user_invitation: 'an invitation that was used or ended after the backup must not work again: invite the user anew',
}

/** Sequences that stay as the restored database has them. */
const SEQUENCES_LEFT_OUT = ['migration_id_seq']

/** One of the tables that a partitioned table consists of. */
export type Part = { name: string; bound: string; options: string[] | null }

export type CopiedTable = {
  name: string
  /** All columns but generated ones. */
  columns: string[]
  /** Its tables when it is partitioned. */
  parts: Part[] | null
}

export type Sequence = { name: string; value: string; is_called: boolean }

/** A condition for the row `c` of `pg_class`: in the schema of Parley, not temporary, and not of an extension. */
export const OWN = sql`c.relnamespace = current_schema()::regnamespace and c.relpersistence <> 't'
  and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`

/** All tables except those of `LEFT_OUT` and the parts of others, by name. */
export async function readTables(session: Session): Promise<CopiedTable[]> {
  const tables = await rowsOf<CopiedTable>(
    session,
    sql`select c.relname as name,
       (select json_agg(a.attname order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
       case when c.relkind = 'p' then coalesce((
         select json_agg(json_build_object('name', p.relname, 'bound', pg_get_expr(p.relpartbound, p.oid),
           'options', p.reloptions) order by p.relname)
         from pg_inherits i join pg_class p on p.oid = i.inhrelid where i.inhparent = c.oid), '[]') end as parts
     from pg_class c where c.relkind in ('r', 'p') and not c.relispartition and ${OWN} order by c.relname`,
  )
  return tables.filter(({ name, columns }) => !Object.hasOwn(LEFT_OUT, name) && columns !== null)
}

export async function readSequences(session: Session): Promise<Sequence[]> {
  const names = await rowsOf<{ name: string }>(
    session,
    sql`select c.relname as name from pg_class c where c.relkind = 'S' and ${OWN} order by c.relname`,
  )
  const sequences: Sequence[] = []
  for (const { name } of names) {
    if (SEQUENCES_LEFT_OUT.includes(name)) continue
    const [row] = await rowsOf<Omit<Sequence, 'name'>>(
      session,
      sql`select last_value::text as value, is_called from ${sql.id(name)}`,
    )
    sequences.push({ name, ...row! })
  }
  return sequences
}

/** The keys of all files in the blob store: every column with this name has them. */
export const BLOB_COLUMN = 'blob_key'

/** Bytes that the tables take without their indexes, about as many as an archive before its compression. */
export async function estimateBytes(session: Session): Promise<number> {
  const [row] = await rowsOf<{ bytes: string }>(
    session,
    sql`select coalesce(sum(pg_table_size(c.oid)), 0)::text as bytes from pg_class c where c.relkind = 'r' and ${OWN}`,
  )
  return Number(row!.bytes)
}
