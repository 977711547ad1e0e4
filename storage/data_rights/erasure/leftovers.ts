/** Copies of a person's data in tables of the engine, where no column names the person. */
import type { EntityManager } from '../../database/entity_manager.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { recordKinds } from '../records/list.ts'
import { isAbout, namesIdentities, namesRecords, type Subject } from '../subject.ts'
import { ofProjects } from './actors_of.ts'
import type { BatchContext, Progress } from './transaction.ts'
import { type Walk, walkAll, walkOn } from './walk.ts'
import { earliest } from './webhook_rows.ts'

const inProjects = ({ projects }: Subject) => sql`project_id = any (${projects})`

/** Stands for an erased answer. A repeat of the request is refused, and not executed again. */
const ERASED_ANSWER = sql`${JSON.stringify({ erased: true })}`

/**
 * Stored answers to requests about the subject: the keys stay, so that no repeat is executed again. Those of operators
 * belong to no project, and name it. The own answers of an erased project are deleted with its rows.
 */
export function eraseAnswers({ subject, cursor, transaction }: BatchContext): Promise<Progress> {
  return transaction((em) => walkOn(em, answersOf(subject), cursor))
}

export function answersOf(subject: Subject): Walk {
  return {
    table: 'idempotency',
    key: ['project_id', 'route', 'key'],
    ...(subject.kind === 'project'
      ? { among: sql`project_id = ''`, hits: sql`body::text like ${`%${subject.subject_id}%`}` }
      : {
          among: sql`(${inProjects(subject)} or project_id = '')`,
          hits: isAbout(
            sql`coalesce(body, 'null')`,
            subject,
            { project: sql`project_id`, at: sql`created_at` },
            'fields',
          ),
        }),
    set: sql`body = ${ERASED_ANSWER}::json`,
  }
}

/** Small tables, which are searched as a whole. */
export function smallTables(subject: Subject): Walk[] {
  const channel_project = sql`(select project_id from channel where _id = channel_id)`
  const known = (column: Sql) => isAbout(column, subject, { project: channel_project, at: sql`created_at` })
  const called = (column: Sql) => isAbout(column, subject, { project: sql`project_id`, at: sql`created_at` })
  return [
    {
      table: 'early_status',
      key: ['channel_id', 'provider_message_id', 'status'],
      hits: sql`${known(sql`coalesce(raw, '{}')`)} or ${known(sql`coalesce(error, '{}')`)}`,
    },
    {
      table: 'agent_tool_call',
      key: ['_id'],
      from: earliest(subject),
      hits: sql.join([sql`arguments`, sql`coalesce(response, '')`, sql`coalesce(error, '')`].map(called), ' or '),
    },
    { table: 'timer', key: ['address', 'name'], hits: namesRecords(sql`message`, subject) },
    {
      table: 'saved_view',
      key: ['_id'],
      hits: isAbout(sql`filter`, subject, { project: sql`project_id`, at: sql`updated_at` }),
      set: sql`filter = (filter::jsonb - 'search')::json`,
    },
    {
      table: 'bulk_action',
      key: ['id'],
      among: inProjects(subject),
      hits: sql`${namesRecords(sql`refusals`, subject)} or ${isAbout(sql`filter`, subject, { project: sql`project_id`, at: sql`created_at` })}`,
      set: sql`filter = (filter::jsonb - 'ticket_ids' - 'chat_user' #- '{inbox,search}')::json,
        refusals = (select coalesce(json_agg(one), '[]') from json_array_elements(refusals) one
          where not ${namesRecords(sql`one`, subject)})`,
    },
  ]
}

export function eraseSmall({ subject, cursor, transaction }: BatchContext): Promise<Progress> {
  return transaction((em) => walkAll(em, smallTables(subject), cursor))
}

/** Records that name people. An identity in an entry of another kind is that of a channel, a token or a user. */
const ABOUT_PEOPLE = [
  ...new Set(recordKinds.flatMap(({ table, person }) => (person ? [table] : []))),
  ...['broadcast', 'bulk_action', 'saved_view', 'dead_letter'],
]

/** Personal data in audit entries. Those of exports and erasures have none. */
export function eraseAuditEntries({ subject, cursor, transaction }: BatchContext): Promise<Progress> {
  return transaction((em) => walkOn(em, auditEntriesOf(subject), cursor))
}

export function auditEntriesOf(subject: Subject): Walk {
  const ids = [...subject.contacts, ...subject.customers, ...subject.tickets, ...subject.records]
  const placed = { project: sql`project_id`, at: sql`created_at` }
  const values = [sql`coalesce(before, '{}')`, sql`coalesce(after, '{}')`]
  const named = values.map((column) => namesRecords(column, subject))
  const about = values.map((column) => isAbout(column, subject, placed, 'fields'))
  const theirs =
    subject.kind === 'project'
      ? sql`project_id = ${subject.subject_id}`
      : sql`(target_id = any (${ids}) or (company_id = ${subject.company_id} and (${sql.join(named, ' or ')}
          or (target_kind = any (${ABOUT_PEOPLE}) and (${sql.join(about, ' or ')})))))`
  return {
    table: 'audit_entry',
    key: ['_id'],
    from: earliest(subject),
    hits: sql`erased_at is null and target_kind not in ('data_erasure', 'data_export') and ${theirs}`,
    set: sql`before = null, after = null, actor_name = null, address = null, erased_at = now()`,
  }
}

/** The phones of the subject in bulk sends. A recipient who is not taken up yet gets no message. */
export function eraseRecipients({ subject, cursor, transaction }: BatchContext): Promise<Progress> {
  const digits = [...new Set(subject.identities.map((one) => one.replace(/^\+/, '')))]
  return transaction(async (em) => {
    const [after, last] = cursor.startsWith('[')
      ? (JSON.parse(cursor) as [string, string])
      : ['', await lastBroadcast(em)]
    const [next] = await em.execute<{ id: string }[]>(sql`
      select id from broadcast where ${inProjects(subject)} and id > ${after} and id <= ${last}
      order by id limit 1`)
    if (!next || digits.length === 0) return { cursor: null }
    const is_theirs = (phone: Sql) => sql`ltrim(${phone}, '+') = any (${digits})`
    const [taken] = await em.execute<{ count: number }[]>(sql`
      with found as (
        update broadcast_recipient set phone = '', error = null
        where broadcast_id = ${next.id} and ${is_theirs(sql`phone`)} returning 1
      ) select count(*)::int as count from found`)
    const slices = await em.execute<{ first: number; recipients: { phone: string }[] }[]>(sql`
      select first, recipients from broadcast_slice where broadcast_id = ${next.id} and exists (
        select from json_array_elements(recipients) one where ${is_theirs(sql`one->>'phone'`)}) for update`)
    let waiting = 0
    for (const { first, recipients } of slices) {
      const left = recipients.map((one) => {
        if (!digits.includes(one.phone.replace(/^\+/, ''))) return one
        waiting++
        return { phone: '', error: ERASED }
      })
      await em.execute(
        sql`update broadcast_slice set recipients = ${JSON.stringify(left)}::json where broadcast_id = ${next.id} and first = ${first}`,
      )
    }
    return { cursor: JSON.stringify([next.id, last]), counts: { broadcast_recipient: taken!.count + waiting } }
  })
}

/** Later broadcasts go to new contacts. */
async function lastBroadcast(em: EntityManager): Promise<string> {
  const [row] = await em.execute<{ last: string | null }[]>(sql`select max(id) as last from broadcast`)
  return row!.last ?? ''
}

/** Why a recipient of a bulk send got no message. */
const ERASED = { code: 'RECIPIENT_ERASED', message: 'The data of the recipient was erased.' }

/** Waits until no message between actors names the person: each is applied or parked soon. */
export function awaitOutbox(context: BatchContext): Promise<Progress> {
  const { subject } = context
  const is_known = sql`${ofProjects(sql`message`, subject)} and ${namesIdentities(sql`message`, subject)}`
  return awaitTaken(context, sql`${namesRecords(sql`message`, subject)} or (${is_known})`)
}

/** Waits for the messages that were there when the phase began: later ones are of others. */
function awaitTaken({ cursor, transaction }: BatchContext, named: Sql): Promise<Progress> {
  return transaction(async (em) => {
    const since = cursor || (await em.execute<{ now: string }[]>(sql`select clock_timestamp()::text as now`))[0]!.now
    const [row] = await em.execute<{ address: string }[]>(
      sql`select address from outbox where created_at <= ${since} and (${named}) limit 1`,
    )
    return row ? { cursor: since, waits: `${row.address} has not taken its messages yet` } : { cursor: null }
  })
}

/** Empties everything that a project leaves in the tables of the engine. */
export function eraseAddresses({ subject, cursor, transaction, erasure }: BatchContext): Promise<Progress> {
  const hits = (body: Sql) => sql`address in (select value from data_erasure_part where erasure_id = ${erasure._id}
    and kind = 'address') or ${body}::text like ${`%${subject.subject_id}%`}`
  const walks: Walk[] = [
    { table: 'dead_letter', key: ['id'], hits: hits(sql`message`) },
    { table: 'timer', key: ['address', 'name'], hits: hits(sql`message`) },
    { table: 'actor_state', key: ['address'], hits: hits(sql`state`) },
  ]
  return transaction((em) => walkAll(em, walks, cursor))
}

/** Waits until no message between actors names the project. */
export function awaitAddresses(context: BatchContext): Promise<Progress> {
  return awaitTaken(context, sql`message::text like ${`%${context.subject.subject_id}%`}`)
}
