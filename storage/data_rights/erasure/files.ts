/** Files of the subject, and exports that contain it. */
import { deleteMedia } from '../../media.ts'
import { literal } from '../../write_set.ts'
import { voidExports } from '../export/job.ts'
import { MEDIA_IDS } from '../records/conversations.ts'
import type { BatchContext, Progress } from './transaction.ts'

/** Messages visited in one transaction. */
const VISITED = 1000
/** Files removed in one batch. Their bytes go before the transaction begins. */
const FILES = 20
/** A message may be older than its file by the difference of two clocks. */
const SLACK_S = 86_400

/**
 * Keeps the files to which a remaining message of the project or a document refers: a brochure goes to many people. The
 * messages since the upload are visited in the order of their ids.
 */
export function keepSharedFiles({ erasure, cursor, transaction }: BatchContext): Promise<Progress> {
  const mine = `erasure_id = ${literal(erasure._id)} and kind = 'media'`
  return transaction(async (em) => {
    const [after, project] = cursor ? (JSON.parse(cursor) as [string, string]) : ['', '']
    const [next] = await em.execute<{ project_id: string; first: string }[]>(`
      select project_id, min(value) as first from data_erasure_part
      where ${mine} and project_id >= ${literal(project)} group by project_id order by project_id limit 1`)
    if (!next) return { cursor: null }
    const from = next.project_id === project ? after : messageIdBefore(next.first)
    const [visited] = await em.execute<{ last: string | null }[]>(`
      with batch as materialized (
        select id, message from message where project_id = ${literal(next.project_id)} and id > ${literal(from)}
        order by id limit ${VISITED}
      ), kept as (
        delete from data_erasure_part where ${mine} and (value in (
          select found[1] from batch cross join lateral regexp_matches(message::text, ${MEDIA_IDS}, 'g') found)
          or exists (select from knowledge_import where media_id = value and project_id = ${literal(next.project_id)}))
      ) select max(id) as last from batch`)
    const { last } = visited!
    return { cursor: JSON.stringify(last === null ? ['', `${next.project_id}!`] : [last, next.project_id]) }
  })
}

function messageIdBefore(media_id: string): string {
  const seconds = Math.max(0, Number.parseInt(media_id.slice(0, 8), 16) - SLACK_S)
  return `msg_${seconds.toString(16).padStart(8, '0')}`
}

/** Removes the files that are left: of a project all of them. */
export async function eraseFiles({ database, blobs, subject, erasure, transaction }: BatchContext): Promise<Progress> {
  const theirs =
    subject.kind === 'project'
      ? `project_id = ${literal(subject.subject_id)}`
      : `(media_id, project_id) in (select value, project_id from data_erasure_part
          where erasure_id = ${literal(erasure._id)} and kind = 'media')`
  const found = await database.execute<{ media_id: string; blob_key: string | null }>(
    `select media_id, blob_key from media where ${theirs} limit ${FILES}`,
  )
  // Bytes first: without the row they would never be found.
  for (const { blob_key } of found) if (blob_key) await blobs.remove(blob_key)
  return transaction(async (em) => {
    const ids = found.map(({ media_id }) => literal(media_id)).join()
    if (found.length > 0) await em.execute(deleteMedia(`media_id in (${ids})`))
    return { cursor: found.length < FILES ? null : '', counts: { media: found.length } }
  })
}

/**
 * Removes exports that may contain the subject: their snapshot is older than this erasure. A running one notices that its
 * attempt is over, and begins anew. The references are ended first, so that no attempt ends with its file meanwhile; a
 * batch that was cut off after that finds the keys of its files again.
 */
export async function eraseExports({ database, blobs, subject, cursor, transaction }: BatchContext): Promise<Progress> {
  const { company_id, project_id } = subject
  const wide = project_id === null ? '' : ` and (project_id is null or project_id = ${literal(project_id)})`
  const theirs = `company_id = ${literal(company_id)}${wide} and _id > ${literal(cursor)}`
  let found: { _id: string }[] = []
  await transaction(async (em) => {
    found = await em.execute<{ _id: string }[]>(
      voidExports(
        `_id in (select _id from data_export where ${theirs} and (blob_key is not null or status = 'running')
          order by _id limit ${FILES})`,
        { stop: false },
      ),
    )
    return { cursor, counts: { data_export: found.length } }
  })
  const last = found.length < FILES ? null : found.at(-1)!._id
  const up_to = last === null ? '' : ` and _id <= ${literal(last)}`
  const keys = await database.execute<{ key: string }>(`
    select key from blob_removal where key like 'export\\_%'
      and split_part(key, '_', 2) in (select _id from data_export where ${theirs}${up_to})`)
  for (const { key } of keys) await blobs.remove(key)
  return transaction(async () => ({ cursor: last }))
}
