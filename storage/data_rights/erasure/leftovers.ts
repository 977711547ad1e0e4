/** Copies of a person's data in tables of the engine, where no column names the person. */
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { literal } from '../../write_set.ts'
import { recordKinds } from '../records/list.ts'
import { isAbout, namesIdentities, namesRecords, type Subject, textArray } from '../subject.ts'
import { ofProjects } from './actors_of.ts'
import type { BatchContext, Progress } from './transaction.ts'
import { type Walk, walkAll, walkOn } from './walk.ts'
import { earliest } from './webhook_rows.ts'

const inProjects = ({ projects }: Subject) => `project_id = any (${textArray(projects)})`

/** Stands for an erased answer. A repeat of the request is refused, and not executed again. */
const ERASED_ANSWER = literal(JSON.stringify({ erased: true }))

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
      ? { among: `project_id = ''`, hits: `body::text like ${literal(`%${subject.subject_id}%`)}` }
      : {
          among: `(${inProjects(subject)} or project_id = '')`,
          hits: isAbout("coalesce(body, 'null')", subject, { project: 'project_id', at: 'created_at' }, 'fields'),
        }),
    set: `body = ${ERASED_ANSWER}::json`,
  }
}

/** Small tables, which are searched as a whole. */
export function smallTables(subject: Subject): Walk[] {
  const channel_project = '(select project_id from channel where _id = channel_id)'
  const known = (column: string) => isAbout(column, subject, { project: channel_project, at: 'created_at' })
  const called = (column: string) => isAbout(column, subject, { project: 'project_id', at: 'created_at' })
  return [
    {
      table: 'early_status',
      key: ['channel_id', 'provider_message_id', 'status'],
      hits: `${known("coalesce(raw, '{}')")} or ${known("coalesce(error, '{}')")}`,
    },
    {
      table: 'agent_tool_call',
      key: ['_id'],
      from: earliest(subject),
      hits: ['arguments', "coalesce(response, '')", "coalesce(error, '')"].map(called).join(' or '),
    },
    { table: 'timer', key: ['address', 'name'], hits: namesRecords('message', subject) },
    {
      table: 'saved_view',
      key: ['_id'],
      hits: isAbout('filter', subject, { project: 'project_id', at: 'updated_at' }),
      set: `filter = (filter::jsonb - 'search')::json`,
    },
    {
      table: 'bulk_action',
      key: ['id'],
      among: inProjects(subject),
      hits: `${namesRecords('refusals', subject)} or ${isAbout('filter', subject, { project: 'project_id', at: 'created_at' })}`,
      set: `filter = (filter::jsonb - 'ticket_ids' - 'chat_user' #- '{inbox,search}')::json,
        refusals = (select coalesce(json_agg(one), '[]') from json_array_elements(refusals) one
          where not ${namesRecords('one', subject)})`,
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
  const placed = { project: 'project_id', at: 'created_at' }
  const values = ["coalesce(before, '{}')", "coalesce(after, '{}')"]
  const named = values.map((column) => namesRecords(column, subject))
  const about = values.map((column) => isAbout(column, subject, placed, 'fields'))
  const theirs =
    subject.kind === 'project'
      ? `project_id = ${literal(subject.subject_id)}`
      : `(target_id = any (${textArray(ids)}) or (company_id = ${literal(subject.company_id)} and (${named.join(' or ')}
          or (target_kind = any (${textArray(ABOUT_PEOPLE)}) and (${about.join(' or ')})))))`
  return {
    table: 'audit_entry',
    key: ['_id'],
    from: earliest(subject),
    hits: `erased_at is null and target_kind not in ('data_erasure', 'data_export') and ${theirs}`,
    set: 'before = null, after = null, actor_name = null, address = null, erased_at = now()',
  }
}

/** The phones of the subject in bulk sends. A recipient who is not taken up yet gets no message. */
export function eraseRecipients({ subject, cursor, transaction }: BatchContext): Promise<Progress> {
  const digits = [...new Set(subject.identities.map((one) => one.replace(/^\+/, '')))]
  return transaction(async (em) => {
    const [after, last] = cursor.startsWith('[')
      ? (JSON.parse(cursor) as [string, string])
      : ['', await lastBroadcast(em)]
    const [next] = await em.execute<{ id: string }[]>(`
      select id from broadcast where ${inProjects(subject)} and id > ${literal(after)} and id <= ${literal(last)}
      order by id limit 1`)
    if (!next || digits.length === 0) return { cursor: null }
    const is_theirs = (phone: string) => `ltrim(${phone}, '+') = any (${textArray(digits)})`
    const [taken] = await em.execute<{ count: number }[]>(`
      with found as (
        update broadcast_recipient set phone = '', error = null
        where broadcast_id = ${literal(next.id)} and ${is_theirs('phone')} returning 1
      ) select count(*)::int as count from found`)
    const slices = await em.execute<{ first: number; recipients: { phone: string }[] }[]>(`
      select first, recipients from broadcast_slice where broadcast_id = ${literal(next.id)} and exists (
        select from json_array_elements(recipients) one where ${is_theirs("one->>'phone'")}) for update`)
    let waiting = 0
    for (const { first, recipients } of slices) {
      const left = recipients.map((one) => {
        if (!digits.includes(one.phone.replace(/^\+/, ''))) return one
        waiting++
        return { phone: '', error: ERASED }
      })
      await em.execute('update broadcast_slice set recipients = ?::json where broadcast_id = ? and first = ?', [
        JSON.stringify(left),
        next.id,
        first,
      ])
    }
    return { cursor: JSON.stringify([next.id, last]), counts: { broadcast_recipient: taken!.count + waiting } }
  })
}

/** Later broadcasts go to new contacts. */
async function lastBroadcast(em: SqlEntityManager): Promise<string> {
  const [row] = await em.execute<{ last: string | null }[]>('select max(id) as last from broadcast')
  return row!.last ?? ''
}

/** Why a recipient of a bulk send got no message. */
const ERASED = { code: 'RECIPIENT_ERASED', message: 'The data of the recipient was erased.' }

/** Waits until no message between actors names the person: each is applied or parked soon. */
export function awaitOutbox(context: BatchContext): Promise<Progress> {
  const { subject } = context
  const is_known = `${ofProjects('message', subject)} and ${namesIdentities('message', subject)}`
  return awaitTaken(context, `${namesRecords('message', subject)} or (${is_known})`)
}

/** Waits for the messages that were there when the phase began: later ones are of others. */
function awaitTaken({ cursor, transaction }: BatchContext, named: string): Promise<Progress> {
  return transaction(async (em) => {
    const since = cursor || (await em.execute<{ now: string }[]>('select clock_timestamp()::text as now'))[0]!.now
    const [row] = await em.execute<{ address: string }[]>(
      `select address from outbox where created_at <= ${literal(since)} and (${named}) limit 1`,
    )
    return row ? { cursor: since, waits: `${row.address} has not taken its messages yet` } : { cursor: null }
  })
}

/** Empties everything that a project leaves in the tables of the engine. */
export function eraseAddresses({ subject, cursor, transaction, erasure }: BatchContext): Promise<Progress> {
  const hits = (
    body: string,
  ) => `address in (select value from data_erasure_part where erasure_id = ${literal(erasure._id)}
    and kind = 'address') or ${body}::text like ${literal(`%${subject.subject_id}%`)}`
  const walks: Walk[] = [
    { table: 'dead_letter', key: ['id'], hits: hits('message') },
    { table: 'timer', key: ['address', 'name'], hits: hits('message') },
    { table: 'actor_state', key: ['address'], hits: hits('state') },
  ]
  return transaction((em) => walkAll(em, walks, cursor))
}

/** Waits until no message between actors names the project. */
export function awaitAddresses(context: BatchContext): Promise<Progress> {
  return awaitTaken(context, `message::text like ${literal(`%${context.subject.subject_id}%`)}`)
}
