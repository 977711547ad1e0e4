/** The status of a cluster: its nodes, its partitions and their backlogs. */
import { type Database, sql } from '../../storage/mod.ts'

export type ClusterPartition = {
  id: number
  /** The node that owns it, or null while it changes hands. */
  owner: string | null
  /** Raised with each change of owner. */
  epoch: number
  /** Messages that are committed and not yet applied. */
  backlog: number
}

export type ClusterNode = {
  id: string
  host: string
  pid: number
  /** Milliseconds since the epoch. */
  started_at: number
  /** The node is giving its partitions away and gets none. */
  leaving: boolean
  /** The node receives the beacon that most nodes receive. A node that does not gets no partitions. */
  is_connected: boolean
  partitions: number
  /** Messages received and not yet applied. */
  backlog: number
  /** The file store that the node uses; undefined when it does not report one. */
  files?: string | undefined
  /** The ids of its keys of `PARLEY_SECRET`, the one that it seals with first; undefined for an older release. */
  keys?: readonly string[] | undefined
  /** Its release; undefined for one that does not report it. */
  release?: string | undefined
}

export type ClusterStatus = { nodes: ClusterNode[]; partitions: ClusterPartition[] }

/** Reports the cluster's status and asks a node to give its partitions away. */
export interface Cluster {
  status(): Promise<ClusterStatus>
  /** The nodes, and the owner of each partition by its number: the same without the backlogs of partitions, which are counted. */
  nodes(): Promise<{ nodes: ClusterNode[]; owners: (string | null)[] }>
  /** Resolves to false when no such node is reachable. A drained node stays and serves requests, but owns nothing. */
  drain(node: string): Promise<boolean>
}

export async function readOwners(database: Database): Promise<(string | null)[]> {
  const rows = await database.execute<{ owner: string | null }>(sql`select owner from partition order by id`)
  return rows.map(({ owner }) => owner)
}

export async function readPartitions(database: Database): Promise<ClusterPartition[]> {
  const rows = await database.execute<{ id: number; owner: string | null; epoch: string; backlog: string }>(sql`
    select p.id, p.owner, p.epoch::text, coalesce(o.backlog, 0)::text as backlog
    from partition p left join (select partition, count(*) as backlog from outbox group by partition) o on o.partition = p.id
    order by p.id`)
  return rows.map(({ id, owner, epoch, backlog }) => ({ id, owner, epoch: Number(epoch), backlog: Number(backlog) }))
}
