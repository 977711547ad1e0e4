/**
 * The row of the cluster: which one this database belongs to, and whether it is quiet.
 *
 * A database that was restored or copied is a cluster of its own. Its nodes use other subjects of NATS than those of the
 * original, and it is quiet: nothing goes out until an operator resumes it, because the original may have sent the
 * same, or may still be at work.
 */
import { randomBytes } from 'node:crypto'
import { DOES_NOT_TELL } from '../connections/session.ts'
import type { Database } from '../database/database.ts'
import { sql } from '../sql/sql.ts'

export type ClusterRow = {
  /** A word of the subjects and streams of NATS; null for clusters of the time before there was one. */
  identity: string | null
  quiet_since: Date | null
}

/** The place of a database that was filled from an archive, until a node starts on it. */
const RESTORED = 'restored'

/** Longer than the lease of a node, in the database's time: a node that renewed it since then is alive. */
const ALIVE = sql`interval '10 seconds'`

/** Makes the next start of a node find a copy. */
export const MARK_RESTORED = sql`update cluster set home = ${RESTORED}`

/**
 * Reads the row at the start of a node, and creates it. When the database is not where its nodes have used it before, it
 * becomes a cluster of its own, which is quiet. A disk that was copied shows no difference: `quiet` says so then.
 *
 * @param partitions of a new cluster
 * @param quiet makes the cluster quiet; one that was not becomes a cluster of its own
 * @throws {Error} `quiet` of a cluster that is not quiet, and whose nodes are at work: the nodes would part
 */
export async function claimCluster(
  database: Database,
  { partitions, quiet = false }: { partitions: number; quiet?: boolean },
): Promise<ClusterRow & { is_copy: boolean }> {
  const { system, number } = await homeOf(database)
  const home = sql`${`${system}/${number}`}`
  const identity = sql`${randomBytes(6).toString('hex')}`
  await database.execute(sql`insert into cluster (partitions, identity, home) values (${partitions}, ${identity}, ${home})
    on conflict do nothing`)
  if (quiet) await mustBeAlone(database)
  // A server that did not tell its system identifier, or does not any more, is no other server.
  const is_other_server = system === '' ? sql`` : sql`or split_part(home, '/', 1) not in ('', ${system})`
  const is_copied = sql`(split_part(home, '/', 2) <> ${number} ${is_other_server})`
  const copied =
    await database.execute(sql`update cluster set identity = ${identity}, home = ${home}, quiet_since = now()
    where home is not null and ${is_copied}${quiet ? sql` or quiet_since is null` : sql``} returning 1`)
  await database.execute(sql`update cluster set home = ${home} where home is null or home = ${`/${number}`}`)
  return { ...(await readCluster(database)), is_copy: copied.length > 0 }
}

async function mustBeAlone(database: Database): Promise<void> {
  const parted = await database.execute(sql`select 1 from cluster where quiet_since is null
    and exists (select from node where renewed_at > clock_timestamp() - ${ALIVE})`)
  if (parted.length === 0) return
  throw new Error(
    'PARLEY_QUIET=on is for the first start on a copy, but this cluster is not quiet, and nodes of it are at work. Remove the setting. (If those are nodes of the original, try again in ten seconds.)',
  )
}

export async function readCluster(database: Database): Promise<ClusterRow> {
  const [row] = await database.execute<{ identity: string | null; quiet_since: string | null }>(
    sql`select identity, quiet_since from cluster`,
  )
  return { identity: row!.identity, quiet_since: row!.quiet_since === null ? null : new Date(row!.quiet_since) }
}

/** Ends the quiet. Returns false when the cluster was not quiet. */
export async function resumeCluster(database: Database): Promise<boolean> {
  const rows = await database.execute(
    sql`update cluster set quiet_since = null where quiet_since is not null returning 1`,
  )
  return rows.length > 0
}

/** A sentence for operators about a cluster that is quiet since this time. */
export function warningOfQuiet(since: Date): string {
  return `This database was restored or copied, so nothing is sent since ${since.toISOString()}: no message, webhook or mail. Run \`parley resume\` to send what waits.`
}

/**
 * The place of the database: its server, empty where that does not tell, and its number there. A standby has the same.
 */
async function homeOf(database: Database): Promise<{ system: string; number: string }> {
  const system = await database
    .execute<{ id: string }>(sql`select system_identifier::text as id from pg_control_system()`)
    .then(([row]) => row!.id)
    .catch((error: { code?: string }) => {
      // Any other error says nothing of the server.
      if (DOES_NOT_TELL.has(error.code ?? '')) return ''
      throw error
    })
  const [row] = await database.execute<{ oid: string }>(
    sql`select oid::text as oid from pg_database where datname = current_database()`,
  )
  return { system, number: row!.oid }
}
