/**
 * The queue of documents to index: rows that triggers of `knowledge_node` add with each change. A claimed row is due
 * again when the lease of the node that claimed it has ended, so that the work of a node that dies is done by another
 * one. It is also due after `CLAIM_SECONDS`: the claim of a node that forgot it, or that had no lease.
 */
import { writeAudit } from '../audit/write_audit.ts'
import type { Database } from '../database/database.ts'
import { sql } from '../sql/sql.ts'

/** Longer than a batch takes. */
const CLAIM_SECONDS = 30
const MAX_DOCUMENTS = 100
/** Bytes of contents in a batch, but for the last document's. */
const MAX_BYTES = 500_000
/** From this attempt on a document is indexed alone, so that it holds up no others. */
const ALONE = 3

export type QueuedDocument = {
  node_id: string
  revision: number
  /** Counts this attempt. */
  attempts: number
  name: string
  content: string | null
  /** As given or detected before. */
  language: string | null
  language_is_given: boolean
  is_active: boolean
}

/** The next project after `after` with documents that are due, in turn with the others; undefined when only `except` have any. */
export async function nextQueuedProject(
  database: Database,
  after: string,
  except: readonly string[] = [],
): Promise<string | undefined> {
  const others = except.length > 0 ? sql`and project_id not in (${sql.list(except)})` : sql``
  const next = async (from: string) => {
    const [row] = await database.execute<{ project_id: string }>(sql`
      select project_id from knowledge_reindex where project_id > ${from} ${others} and due_at <= now()
      order by project_id limit 1`)
    return row?.project_id
  }
  return (await next(after)) ?? (after === '' ? undefined : next(''))
}

export type ClaimOptions = {
  /** The id of the node that claims. */
  node?: string | undefined
  /** One that is indexed alone goes before a batch of others. */
  alone_first?: boolean
}

/**
 * Claims the documents of a project that have waited longest. Those that another session holds are passed over, and those
 * that failed before do not keep others from the batch: so no number of either has another document wait.
 */
export async function claimQueued(
  database: Database,
  project_id: string,
  { node, alone_first = false }: ClaimOptions = {},
): Promise<QueuedDocument[]> {
  const due = sql`knowledge_reindex queued join knowledge_node document on document._id = queued.node_id
      where queued.project_id = ${project_id} and due_at <= now()`
  const free = sql`for no key update of queued, document skip locked`
  return database.execute<QueuedDocument>(sql`
    with batch as materialized (
      select node_id, due_at, octet_length(coalesce(content, '')) as size from ${due} and attempts < ${ALONE - 1}
      order by due_at, node_id limit ${MAX_DOCUMENTS} ${free}
    ), alone as materialized (
      select node_id from ${due} and attempts >= ${ALONE - 1} and (${alone_first} or not exists (select from batch))
      order by due_at, node_id limit 1 ${free}
    ), sized as (
      select node_id, sum(size) over (order by due_at, node_id) - size as before from batch
    ), chosen as (
      select node_id from alone
      union all
      select node_id from sized where before <= ${MAX_BYTES} and not exists (select from alone)
    ), claimed as (
      update knowledge_reindex queued set due_at = now() + ${CLAIM_SECONDS} * interval '1 second', attempts = queued.attempts + 1,
        claimed_by = (select id from node where id = ${node ?? ''})
      from chosen where queued.node_id = chosen.node_id
      returning queued.node_id, queued.revision, queued.attempts
    )
    select claimed.node_id, node.revision, claimed.attempts, name,
      case when is_active then content end as content, language, language_is_given, is_active
    from claimed join knowledge_node node on _id = node_id`)
}

/** Makes documents due that were claimed by nodes whose leases have ended. */
export async function releaseClaims(database: Database): Promise<void> {
  await database.execute(sql`
    with left_over as (
      select node_id from knowledge_reindex
      where claimed_by is not null and not exists (select from node where node.id = claimed_by)
      for update skip locked
    )
    update knowledge_reindex queued set due_at = now(), claimed_by = null
    from left_over where queued.node_id = left_over.node_id`)
}

/** Removes what is left in the queue of a deleted project. */
export async function dropOrphans(database: Database, project_id: string): Promise<void> {
  await database.execute(sql`
    delete from knowledge_reindex where project_id = ${project_id}
      and not exists (select from knowledge_node where _id = node_id)`)
}

/** Has the documents tried again after a while. */
export async function postponeQueued(database: Database, ids: readonly string[], seconds: number): Promise<void> {
  if (ids.length === 0) return
  await database.execute(sql`
    update knowledge_reindex set due_at = now() + ${seconds} * interval '1 second', claimed_by = null
    where node_id in (${sql.list(ids)})`)
}

/** Gives up on a document, unless it has changed meanwhile. One that another session holds waits for its next attempt. */
export async function failQueued(
  database: Database,
  { node_id, revision }: Pick<QueuedDocument, 'node_id' | 'revision'>,
  error: string,
): Promise<void> {
  await database.execute(sql`
    with free as materialized (
      select _id from knowledge_node where _id = ${node_id} for no key update skip locked
    ), removed as (
      delete from knowledge_reindex using free where node_id = _id and revision = ${revision} returning node_id
    )
    update knowledge_node set index_status = 'failed', index_error = ${error}
    from removed where _id = node_id and revision = ${revision} and is_active`)
}

export type IndexState = {
  folders: number
  documents: number
  /** Documents whose last change is not indexed yet. */
  pending: number
  failed: number
}

/** The state of a project's index. */
export async function readIndexState(database: Database, project_id: string): Promise<IndexState> {
  const mine = sql`project_id = ${project_id}`
  const [row] = await database.execute<IndexState>(sql`
    select coalesce((select folders from knowledge_tree where ${mine}), 0) as folders,
      coalesce((select documents from knowledge_tree where ${mine}), 0) as documents,
      (select count(*)::integer from knowledge_reindex where ${mine}) as pending,
      (select count(*)::integer from knowledge_node where ${mine} and is_active and index_status = 'failed') as failed`)
  return row!
}

/** Queues all documents of a project, or only those that failed. Returns their number. */
export async function queueAll(database: Database, project_id: string, { only_failed = false } = {}): Promise<number> {
  const statement = sql`
    with queued as (
      insert into knowledge_reindex as known (node_id, project_id, revision)
      select _id, project_id, revision from knowledge_node
      where project_id = ${project_id} and is_active and type = 'document'
        ${only_failed ? sql`and index_status = 'failed'` : sql``}
      order by _id
      on conflict (node_id) do update set revision = excluded.revision, due_at = now(), attempts = 0
      returning node_id
    )
    select count(*)::integer as count from queued`
  return database.em().transactional(async (em) => {
    const [row] = await em.execute<{ count: number }[]>(statement)
    const { count: queued } = row!
    const change = { target_kind: 'project', target_id: project_id, project_id, after: { queued, only_failed } }
    await writeAudit(database, em, change)
    return queued
  })
}

/** Documents waiting in all projects, and the age of the oldest that is due, in seconds. */
export async function readQueueFigures(database: Database): Promise<{ pending: number; oldest_s: number }> {
  const [row] = await database.execute<{ pending: number; oldest_s: number }>(sql`
    select count(*)::integer as pending,
      coalesce(extract(epoch from now() - min(due_at) filter (where due_at <= now())), 0)::float8 as oldest_s
    from knowledge_reindex`)
  return row!
}
