/** Files of the subject, and exports that contain it. */

import { deleteMedia } from '../../blobs/media.ts'
import type { EntityManager } from '../../database/entity_manager.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { voidExports } from '../export/job.ts'
import { MEDIA_IDS } from '../records/conversations.ts'
import type { BatchContext, Progress } from './transaction.ts'

/** Messages visited in one transaction. */
const VISITED = 1000
/** Files removed in one batch. Their bytes go before the transaction begins. */
const FILES = 20
/** Messages of the last minutes are looked at again. The walk through the others began later, by the clocks of nodes. */
const RECENT_S = 600
/** A message may be older than its file by the difference of two clocks. */
const SLACK_S = 86_400

/**
 * The place in the messages of a project, and the last one that was there when the lap began. A long first lap is
 * followed by a short one through the messages that came meanwhile.
 */
type Place = { project: string; after: string; last: string; is_last_lap: boolean }

const BEGIN: Place = { project: '', after: '', last: '', is_last_lap: false }

/**
 * Keeps the files to which a remaining message of the project, a message to be, a recipient of an earlier message or a
 * document refers: a brochure goes to many people. The messages since the upload are visited in the order of their ids,
 * up to the last one that was there at the beginning of the lap; `eraseFiles` looks for later ones.
 */
export function keepSharedFiles({ erasure, cursor, transaction }: BatchContext): Promise<Progress> {
  const mine = sql`erasure_id = ${erasure._id} and kind = 'media'`
  return transaction(async (em) => {
    const place = cursor.startsWith('{') ? (JSON.parse(cursor) as Place) : BEGIN
    const [next] = await em.execute<{ project_id: string; first: string }[]>(sql`
      select project_id, min(value) as first from data_erasure_part
      where ${mine} and project_id >= ${place.project} group by project_id order by project_id limit 1`)
    if (!next) return { cursor: null }
    const project = next.project_id
    const begins = project !== place.project
    if (begins) await keepReferred(em, mine, project)
    const after = begins ? messageIdBefore(next.first) : place.after
    const last = begins ? await lastMessage(em, project) : place.last
    const [visited] = await em.execute<{ count: number; last: string | null }[]>(sql`
      with batch as materialized (
        select id, message from message
        where project_id = ${project} and id > ${after} and id <= ${last}
        order by id limit ${VISITED}
      ), kept as (
        delete from data_erasure_part where ${mine} and value in (
          select found[1] from batch cross join lateral regexp_matches(message::text, ${MEDIA_IDS}, 'g') found)
      ) select count(*)::int as count, max(id) as last from batch`)
    const is_over = visited!.count < VISITED
    const is_last_lap = !begins && place.is_last_lap
    const place_after: Place = !is_over
      ? { project, after: visited!.last!, last, is_last_lap }
      : is_last_lap
        ? { ...BEGIN, project: `${project}!` }
        : { project, after: last, last: await lastMessage(em, project), is_last_lap: true }
    return { cursor: JSON.stringify(place_after) }
  })
}

/**
 * Keeps files that other contacts got or are to get later, that agents have in drafts for them or in notes, that documents are made
 * of, and that bulk sends under way have as variables.
 */
async function keepReferred(em: EntityManager, mine: Sql, project_id: string): Promise<void> {
  const project = sql`${project_id}`
  await em.execute(sql`
    delete from data_erasure_part where ${mine} and project_id = ${project} and (
      exists (select from media_recipient where media_id = value)
      or exists (select from knowledge_import where media_id = value and project_id = ${project})
      or value in (
        select found[1] from broadcast join broadcast_slice on broadcast_id = id
        cross join lateral regexp_matches(recipients::text, ${MEDIA_IDS}, 'g') found
        where project_id = ${project} and status in ('queued', 'sending'))
      or value in (
        select found[1] from scheduled_message cross join lateral regexp_matches(message::text, ${MEDIA_IDS}, 'g') found
        where project_id = ${project} and status in ('scheduled', 'failed'))
      or value in (
        select found[1] from draft cross join lateral regexp_matches(attachments::text, ${MEDIA_IDS}, 'g') found
        where project_id = ${project})
      or value in (
        select found[1] from note cross join lateral regexp_matches(attachments::text, ${MEDIA_IDS}, 'g') found
        where project_id = ${project} and attachments is not null))`)
}

async function lastMessage(em: EntityManager, project_id: string): Promise<string> {
  const [row] = await em.execute<{ last: string | null }[]>(
    sql`select max(id) as last from message where project_id = ${project_id}`,
  )
  return row!.last ?? ''
}

function messageIdBefore(media_id: string): string {
  const seconds = Math.max(0, Number.parseInt(media_id.slice(0, 8), 16) - SLACK_S)
  return `msg_${seconds.toString(16).padStart(8, '0')}`
}

/**
 * Removes the files that are left: of a project all of them. Of a person, those that a message refers to by now, or a
 * message on its way to the project, stay.
 */
export async function eraseFiles({ database, blobs, subject, erasure, transaction }: BatchContext): Promise<Progress> {
  const theirs =
    subject.kind === 'project'
      ? sql`project_id = ${subject.subject_id}`
      : sql`(media_id, project_id) in (select value, project_id from data_erasure_part
          where erasure_id = ${erasure._id} and kind = 'media')`
  const found = await database.execute<{ media_id: string; blob_key: string | null; is_used: boolean }>(sql`
    select media_id, blob_key, ${subject.kind === 'project' ? sql`false` : IS_USED} as is_used
    from media where ${theirs} order by media_id limit ${FILES}`)
  const [used, unused] = [found.filter((one) => one.is_used), found.filter((one) => !one.is_used)]
  // Bytes first: without the row they would never be found.
  for (const { blob_key } of unused) if (blob_key) await blobs.remove(blob_key)
  return transaction(async (em) => {
    const listed = (files: typeof found) => sql.list(files.map(({ media_id }) => media_id))
    if (unused.length > 0) await em.execute(deleteMedia(sql`media_id in (${listed(unused)})`))
    if (used.length > 0) {
      await em.execute(sql`
        delete from data_erasure_part
        where erasure_id = ${erasure._id} and kind = 'media' and value in (${listed(used)})`)
    }
    return { cursor: found.length < FILES ? null : '', counts: { media: unused.length } }
  })
}

/** SQL: a message since the walk through them refers to the file. It has to be young, for the number to be small. */
const IS_USED = sql`(exists (
    select from message where message.project_id = media.project_id and id > ${recentId('msg_')}
      and message::text like '%' || media_id || '%')
  or exists (select from outbox where message::text like '%' || media_id || '%'))`

function recentId(prefix: string): Sql {
  return sql`${prefix} || lpad(to_hex(extract(epoch from now() - ${RECENT_S} * interval '1 second')::bigint), 8, '0')`
}

/**
 * Removes exports that may contain the subject: their snapshot is older than this erasure. A running one notices that its
 * attempt is over, and begins anew. The references are ended first, so that no attempt ends with its file meanwhile; a
 * batch that was cut off after that finds the keys of its files again.
 */
export async function eraseExports({ database, blobs, subject, cursor, transaction }: BatchContext): Promise<Progress> {
  const { company_id, project_id } = subject
  const wide = project_id === null ? sql`` : sql` and (project_id is null or project_id = ${project_id})`
  const theirs = sql`company_id = ${company_id}${wide} and _id > ${cursor}`
  let found: { _id: string }[] = []
  await transaction(async (em) => {
    found = await em.execute<{ _id: string }[]>(
      voidExports(
        sql`_id in (select _id from data_export where ${theirs} and (blob_key is not null or status = 'running')
          order by _id limit ${FILES})`,
        { stop: false },
      ),
    )
    return { cursor, counts: { data_export: found.length } }
  })
  const last = found.length < FILES ? null : found.at(-1)!._id
  const up_to = last === null ? sql`` : sql` and _id <= ${last}`
  const keys = await database.execute<{ key: string }>(sql`
    select key from blob_removal where key like 'export\\_%'
      and split_part(key, '_', 2) in (select _id from data_export where ${theirs}${up_to})`)
  for (const { key } of keys) await blobs.remove(key)
  return transaction(async () => ({ cursor: last }))
}
