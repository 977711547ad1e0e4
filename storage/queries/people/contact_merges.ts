/** Merges of contacts, and the records that they move. */
import type { Database } from '../../database/database.ts'
import { columnsOf, readRows, toRows } from '../../database/read_rows.ts'
import { Contact } from '../../entities/people/contact.ts'
import { ContactMerge } from '../../entities/people/contact_merge.ts'
import { type MovedKind, movedKinds } from '../../entities/people/merged_record.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { type Page, type PageOptions, toPage } from '../common/keyset.ts'

/** A record that is to get another contact. `identity`: under whose ids it came, where that is known. */
export type MovingRecord = {
  kind: MovedKind
  record_id: string
  identity: string | null
  /** Of a ticket. */
  version: number | null
}

const idOf = (kind: MovedKind): Sql => sql.id(kind === 'ticket' || kind === 'note' ? '_id' : 'id')
const versionOf = (kind: MovedKind): Sql => (kind === 'ticket' ? sql`t.version` : sql`null::integer`)

/** The merges that made what these contacts of the project are now, and those that are under way, the oldest first. */
export async function readMergesOf(
  database: Database,
  project_id: string,
  contact_ids: readonly string[],
): Promise<ContactMerge[]> {
  const rows = await database.execute(sql`
    with survivor as materialized (
      select distinct coalesce(merged_into, _id) as _id from contact
      where project_id = ${project_id} and _id = any (${contact_ids})
    ), member as materialized (
      select _id from survivor union select c._id from survivor s join contact c on c.merged_into = s._id
    )
    select ${columnsOf(database, ContactMerge, sql`m`)} from contact_merge m
    where m.status <> 'undone'
      and (m.from_contact_id in (select _id from member) or (m.status = 'undoing' and m.contact_id in (select _id from member)))
    order by m._id`)
  return toRows(database, ContactMerge, rows)
}

/** True where a merge of these two was undone. */
export async function wereSeparated(
  database: Database,
  project_id: string,
  one: string,
  other: string,
): Promise<boolean> {
  const [row] = await database.execute(sql`
    select 1 from contact_merge where project_id = ${project_id} and undone_at is not null
      and ((contact_id = ${one} and from_contact_id = ${other}) or (contact_id = ${other} and from_contact_id = ${one})) limit 1`)
  return row !== undefined
}

/** A merge of the project. */
export async function findMerge(
  database: Database,
  project_id: string,
  _id: string,
): Promise<ContactMerge | undefined> {
  const rows = await database.execute(
    sql`select ${columnsOf(database, ContactMerge)} from contact_merge where _id = ${_id} and project_id = ${project_id}`,
  )
  return toRows<ContactMerge>(database, ContactMerge, rows)[0]
}

/** Records of this contact, at most `limit`: those of its desk first, then its messages, the newest first. */
export async function listToMerge(database: Database, contact_id: string, limit: number): Promise<MovingRecord[]> {
  const found = movedKinds.map(
    (
      kind,
      rank,
    ) => sql`(select ${rank} as rank, ${kind} as kind, ${idOf(kind)} as record_id, ${versionOf(kind)} as version
      from ${sql.id(kind)} t where chat_user = ${contact_id} order by ${idOf(kind)} desc limit ${limit})`,
  )
  return database.execute<MovingRecord>(sql`
    select f.kind, f.record_id, f.version, r.contact_id as identity
    from (select * from (${sql.join(found, ' union all ')}) f order by rank, record_id desc limit ${limit}) f
    left join merged_record r using (kind, record_id)`)
}

/** The last record of a page, after which the next one begins. */
export type MovedUpTo = { kind: MovedKind; record_id: string }

/** Records of `survivor` that came under the ids of these contacts, at most `limit`, in the order of kinds and ids. */
export async function listToSeparate(
  database: Database,
  survivor: string,
  identities: readonly string[],
  after: MovedUpTo | null,
  limit: number,
): Promise<MovingRecord[]> {
  const first = after === null ? 0 : movedKinds.indexOf(after.kind)
  const found = movedKinds.slice(first).map((kind, place) => {
    const rest = place === 0 && after !== null ? sql` and r.record_id > ${after.record_id}` : sql``
    return sql`(select ${place} as rank, r.kind, r.record_id, ${versionOf(kind)} as version, r.contact_id as identity
      from merged_record r join ${sql.id(kind)} t on t.${idOf(kind)} = r.record_id
      where r.contact_id = any (${identities}) and r.kind = ${kind}${rest} and t.chat_user = ${survivor}
      order by r.record_id limit ${limit})`
  })
  const rows = await database.execute<MovingRecord & { rank: number }>(
    sql`select * from (${sql.join(found, ' union all ')}) f order by rank, record_id limit ${limit}`,
  )
  return rows.map(({ rank: _, ...row }) => row)
}

/**
 * The merges of a contact, the newest first, with the contacts that were merged; those of the contacts that it became part of
 * or that became part of it are among them. Undefined when the project has no such contact.
 */
export async function listMerges(
  database: Database,
  project_id: string,
  contact_id: string,
  { limit, cursor }: PageOptions,
): Promise<Page<{ merge: ContactMerge; former: Contact }> | undefined> {
  const [found] = await readRows(database, Contact, { _id: contact_id, project_id })
  if (!found) return undefined
  const survivor = found.merged_into ?? found._id
  const rows = await database.execute(sql`
    with member as materialized (select _id from contact where _id = ${survivor} or merged_into = ${survivor})
    select ${columnsOf(database, ContactMerge, sql`m`)} from contact_merge m
    where (m.contact_id in (select _id from member) or m.from_contact_id in (select _id from member))
      ${cursor === undefined ? sql`` : sql`and m._id < ${cursor}`}
    order by m._id desc limit ${limit + 1}`)
  const { data: merges, ...page } = toPage(toRows<ContactMerge>(database, ContactMerge, rows), limit, ({ _id }) => _id)
  const formers = await readRows(database, Contact, { project_id, _id: merges.map((one) => one.from_contact_id) })
  const by_id = new Map(formers.map((one) => [one._id, one]))
  const data = merges.flatMap((merge) => {
    const former = by_id.get(merge.from_contact_id)
    return former ? [{ merge, former }] : []
  })
  return { ...page, data }
}

/**
 * Forgets under whose ids records came, of contacts whose merges cannot be undone any more. Returns true when there may be
 * more.
 */
export async function forgetIdentities(database: Database): Promise<boolean> {
  const is_member = sql`(member._id = coalesce(c.merged_into, k.contact_id) or member.merged_into = coalesce(c.merged_into, k.contact_id))`
  const [row] = await database.execute<{ count: number }>(sql`
    with recursive known as (
      (select contact_id from merged_record order by contact_id limit 1)
      union all
      select (select contact_id from merged_record where contact_id > known.contact_id order by contact_id limit 1) from known
      where known.contact_id is not null
    ), over as materialized (
      select k.contact_id from known k left join contact c on c._id = k.contact_id
      where k.contact_id is not null and not exists (
        select from contact member join contact_merge m on m.from_contact_id = member._id
        where ${is_member} and (m.status in ('merging', 'undoing')
          or (m.status = 'merged' and m.undo_until > now() - interval '1 day')))
    ), gone as (
      delete from merged_record where ctid = any (array(
        select r.ctid from over join merged_record r using (contact_id) limit ${FORGOTTEN} for update of r skip locked))
      returning 1)
    select count(*)::int as count from gone`)
  return row!.count === FORGOTTEN
}

/** Rows deleted by a statement. */
const FORGOTTEN = 1000
