/**
 * Separates contacts that several projects of a company share. Before migration 0014 the channels of every project of a
 * company adopted its contacts without a channel: messages of one project belonged to a contact of another and could
 * not be found. Each project gets a contact of its own for its channel, as a message would create it now, and the
 * project's records about the person go to that contact.
 *
 * A walk visits all contacts in the order of their ids, on one node at a time. Nodes of the version before may run
 * beside it and go on adopting. So each start of a node begins a walk, and a walk that found something is repeated
 * after an hour.
 *
 *  S1 Every step may be repeated, and may be cut off anywhere: the rest is found again. `separate` moves the messages
 *  last, because shared contacts are found by them.
 *  S2 Each statement commits by itself and changes a bounded number of rows, so its locks last milliseconds. Locked
 *  messages are skipped; the next walk finds them.
 *  S3 A project's actor may create the same contact at the same moment. `contact_identity` lets one of both succeed.
 *  The walk uses the actor's contact; the actor's turn is undone and repeated with the walk's contact.
 *  S4 Contacts of different projects stay different. The other project's data about the person (name, avatar, custom
 *  fields) are not copied: the next message brings the name, and the customer is found as for a new contact.
 */
import type { Database } from './database/database.ts'
import { type Sql, sql } from './sql/sql.ts'
import { objectId } from './values/ids.ts'

/** Contacts examined in a step. */
const BATCH = 500
/** Maximum messages moved by a statement. */
const MESSAGES = 500

/** A contact of one project that a channel of another has used. */
type Shared = {
  contact: string
  project_id: string
  channel_id: string
  first_seen_at: string
  last_seen_at: string
  /** The time until which the channel may write freely, as in `windows` of a contact. */
  window: string | null
}

/** Begins a walk from the first contact, also while one is under way. */
export async function beginContactSeparation(database: Database): Promise<void> {
  await database.execute(sql`update contact_separation set up_to = '', found = 0, ended_at = null`)
}

/** Separates the next contacts. Returns true when there may be more to do at once. */
export async function separateContacts(database: Database): Promise<boolean> {
  const [walk] = await database.execute<{ up_to: string }>(sql`
    update contact_separation set busy_until = now() + interval '1 minute', ended_at = null,
      up_to = case when ended_at is null then up_to else '' end, found = case when ended_at is null then found else 0 end
    where coalesce(busy_until < now(), true)
      and (ended_at is null or (found > 0 and ended_at < now() - interval '1 hour'))
    returning up_to`)
  if (!walk) return false
  const { last, shared } = await step(database, walk.up_to).catch(async (error) => {
    await database.execute(sql`update contact_separation set busy_until = null`)
    throw error
  })
  // A walk that was begun anew meanwhile continues from its own beginning.
  await database.execute(sql`
    update contact_separation set busy_until = null,
      found = found + case when up_to = ${walk.up_to} then ${shared.length} else 0 end,
      ended_at = case when up_to = ${walk.up_to} and ${last === null} then now() end,
      up_to = case when up_to = ${walk.up_to} then ${last ?? walk.up_to} else up_to end`)
  return last !== null
}

/** `last`: the contact after which the next step continues; null after the last contact. */
type Step = { last: string | null; shared: Shared[] }

async function step(database: Database, up_to: string): Promise<Step> {
  const found = await findShared(database, up_to)
  if (found.shared.length > 0) await separate(database, found.shared)
  return found
}

async function findShared(database: Database, up_to: string): Promise<Step> {
  const [row] = await database.execute<{ last: string | null; shared: Shared[] | null }>(sql`
    with batch as materialized (
      select _id, company_id, project_id, channel_type, channel_id, user_id, windows, created_at from contact
      where _id > ${up_to} order by _id limit ${BATCH}
    ), wide as materialized (
      select * from batch b where channel_id is null
        and exists (select 1 from project p where p.company_id = b.company_id and p._id <> b.project_id)
    ), used as (
      select w._id as contact, m.*, w.windows->>m.channel_id as "window" from wide w cross join lateral (
        select project_id, channel_id, min(created_at) as first_seen_at,
          coalesce(max(created_at) filter (where direction = 'inbound'), min(created_at)) as last_seen_at
        from message where chat_user = w._id and project_id <> w.project_id group by 1, 2) m
    ), heard as (
      -- A window of another project's channel, without its messages: the rest of a step that was cut off.
      select w._id as contact, ch.project_id, ch._id as channel_id, w.created_at, w.created_at, own.value as "window"
      from wide w, jsonb_each_text(w.windows) own join channel ch on ch._id = own.key
      where ch.project_id <> w.project_id and not exists (
        select 1 from used u where u.contact = w._id and u.channel_id = ch._id)
    ), passed as (
      -- Tickets alone: they were passed over while the project had another open one of the person, or left by a walk of
      -- the version that moved them last.
      select w._id as contact, own.* from wide w cross join lateral (
        select distinct on (n.project_id) n.project_id, n.channel_id, n.first_seen_at, n.last_seen_at, null as "window"
        from contact n
        where n.company_id = w.company_id and n.channel_type = w.channel_type and n.user_id = w.user_id
          and n.channel_id is not null and n.project_id <> w.project_id and exists (
            select 1 from ticket t where t.chat_user = w._id and t.project_id = n.project_id and (t.is_closed
              or not exists (select 1 from ticket other where other.chat_user = n._id and not other.is_closed)))
        order by n.project_id, n.last_seen_at desc, n._id desc) own
      where not exists (select 1 from used u where u.contact = w._id and u.project_id = own.project_id)
        and not exists (select 1 from heard h where h.contact = w._id and h.project_id = own.project_id)
    )
    select (select max(_id) from batch having count(*) > 0) as last,
      (select json_agg(s) from (table used union all table heard union all table passed) s) as shared`)
  return { last: row!.last, shared: row!.shared ?? [] }
}

/** A shared contact with the contact that the project has by now. */
type Own = Pick<Shared, 'contact' | 'project_id' | 'channel_id' | 'window'> & { own: string; seen: string }

async function separate(database: Database, shared: Shared[]): Promise<void> {
  const rows = shared.map((one) => ({ ...one, _id: objectId() }))
  const fields = sql`(select * from json_to_recordset(${JSON.stringify(rows)}) as r(_id text, contact text,
    project_id text, channel_id text, first_seen_at timestamptz, last_seen_at timestamptz, "window" text))`
  await database.execute(sql`
    insert into contact (_id, company_id, project_id, channel_type, user_id, channel_id, bsuid, phone, customer_id, windows,
      first_seen_at, last_seen_at)
    select r._id, c.company_id, r.project_id, c.channel_type, c.user_id, r.channel_id,
      case c.user_id when c.bsuid then c.bsuid end,
      case when c.channel_type = 'whatsapp' and c.user_id <> coalesce(c.bsuid, '') then '+' || c.user_id end,
      case c.channel_type
        when 'whatsapp' then (select min(_id) from customer where company_id = c.company_id and phone = '+' || c.user_id)
        when 'email' then (select min(_id) from customer where company_id = c.company_id and lower(email) = c.user_id)
      end,
      case when r."window" is null then '{}' else jsonb_build_object(r.channel_id, r."window") end,
      r.first_seen_at, r.last_seen_at
    from ${fields} r join contact c on c._id = r.contact order by r.channel_id, c.user_id
    on conflict (company_id, channel_type, channel_id, user_id) do nothing`)
  const own = await database.execute<Own>(sql`
    select r.contact, r.project_id, r.channel_id, r."window", n._id as own, n.last_seen_at as seen
    from ${fields} r join contact c on c._id = r.contact
    join contact n on n.company_id = c.company_id and n.channel_type = c.channel_type and n.channel_id = r.channel_id
      and n.user_id = c.user_id
    where n.project_id = r.project_id`)
  const owns = sql`json_to_recordset(${JSON.stringify(own)}) as o(contact text, project_id text, channel_id text,
    "window" text, own text, seen timestamptz)`
  await moveTickets(database, owns)
  await moveWindows(database, owns)
  while ((await moveMessages(database, owns)) === MESSAGES);
}

/** A window belongs to the contact of the project whose channel it is. */
async function moveWindows(database: Database, owns: Sql): Promise<void> {
  await database.execute(sql`
    update contact n set windows = n.windows || jsonb_build_object(o.channel_id, o."window") from ${owns}
    where n._id = o.own and o."window" is not null and not jsonb_exists(n.windows, o.channel_id)`)
  await database.execute(sql`
    update contact c set windows = c.windows - o.channels
    from (select contact, array_agg(channel_id) as channels from ${owns} group by contact) o
    where c._id = o.contact and jsonb_exists_any(c.windows, o.channels)`)
}

/** The project is compared as an expression, so that the planner uses the contact's index instead of the project's. */
async function moveMessages(database: Database, owns: Sql): Promise<number> {
  const [row] = await database.execute<{ count: number }>(sql`
    with found as materialized (
      select m.id, o.own from ${owns} cross join lateral (
        select id from message
        where chat_user = o.contact and project_id || '' = o.project_id and channel_id || '' = o.channel_id
        limit ${MESSAGES} for update skip locked) m
      limit ${MESSAGES}
    ), moved as (
      update message m set chat_user = found.own from found where m.id = found.id returning 1
    )
    select count(*)::integer as count from moved`)
  return row!.count
}

/** Tickets and notes have no channel: they go to the contact that was seen last. */
async function moveTickets(database: Database, owns: Sql): Promise<void> {
  const home = sql`(select distinct on (contact, project_id) contact, project_id, own from ${owns}
    order by contact, project_id, seen desc, own desc)`
  await database.execute(sql`
    with moved as (
      update ticket t set chat_user = h.own from ${home} h where t.chat_user = h.contact and t.project_id = h.project_id
        and (t.is_closed or not exists (select 1 from ticket other where other.chat_user = h.own and not other.is_closed))
      returning t._id, t.chat_user
    )
    update crm_event e set chat_user = moved.chat_user from moved where e.ticket_id = moved._id`)
  await database.execute(sql`
    update note t set chat_user = h.own from ${home} h where t.chat_user = h.contact and t.project_id = h.project_id`)
}
