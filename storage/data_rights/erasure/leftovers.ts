/** Copies of a person's data in tables of the engine, where no column names the person. */

import { literal } from '../../write_set.ts'
import { deleteBatch, placesOf } from '../record_kind.ts'
import { mentions, type Subject, textArray } from '../subject.ts'
import type { BatchContext, Progress } from './transaction.ts'

/** Rows of answers visited in one transaction. */
const VISITED = 1000

const inProjects = ({ projects }: Subject) => `project_id = any (${textArray(projects)})`

/** Stored answers to requests about the person. They are kept for a day at most, in the order of their key. */
export function eraseAnswers({ subject, cursor, transaction }: BatchContext): Promise<Progress> {
  const [project, route, key] = cursor ? (JSON.parse(cursor) as string[]) : ['', '', '']
  return transaction(async (em) => {
    const visited = await em.execute<{ project_id: string; route: string; key: string; hit: boolean }[]>(`
      select project_id, route, key, ${mentions("coalesce(body, 'null')", subject)} as hit from idempotency
      where ${inProjects(subject)} and (project_id, route, key) > (${[project, route, key].map((one) => literal(one!)).join()})
      order by project_id, route, key limit ${VISITED}`)
    const hits = visited.filter(({ hit }) => hit)
    if (hits.length > 0) {
      const keys = hits.map((row) => `(${[row.project_id, row.route, row.key].map(literal).join()})`)
      await em.execute(`delete from idempotency where (project_id, route, key) in (${keys.join()})`)
    }
    const last = visited.at(-1)
    return {
      cursor: last ? JSON.stringify([last.project_id, last.route, last.key]) : null,
      counts: { idempotency: hits.length },
    }
  })
}

/** Tables with few rows: each is searched as a whole. */
const small: { table: string; type: string; where(subject: Subject): string }[] = [
  {
    table: 'early_status',
    type: 'early_status',
    where: (subject) => `channel_id in (select _id from channel where ${inProjects(subject)})
      and (${mentions("coalesce(raw, '{}')", subject)} or ${mentions("coalesce(error, '{}')", subject)})`,
  },
  {
    table: 'agent_tool_call',
    type: 'agent_tool_call',
    where: (subject) => `${inProjects(subject)} and (${mentions('arguments', subject)}
      or ${mentions("coalesce(response, '')", subject)} or ${mentions("coalesce(error, '')", subject)})`,
  },
  { table: 'timer', type: 'timer', where: (subject) => mentions('message', subject) },
  {
    table: 'actor_state',
    type: 'actor_state',
    where: (subject) => `address like 'mail/%' and ${mentions('state', subject)}`,
  },
]

export function eraseSmall({ subject, cursor, transaction }: BatchContext): Promise<Progress> {
  return transaction(async (em) => {
    for (let at = Number(cursor || 0); at < small.length; at++) {
      const { table, type, where } = small[at]!
      const count = await deleteBatch(em, table, where(subject))
      if (count > 0) return { cursor: String(at), counts: { [type]: count } }
    }
    return { cursor: null }
  })
}

/** Personal data in audit entries. Those of exports and erasures have none. */
export function eraseAuditEntries({ subject, transaction }: BatchContext): Promise<Progress> {
  const ids = [...subject.contacts, ...subject.customers, ...subject.tickets, ...subject.records]
  const company = `company_id = ${literal(subject.company_id)}`
  const theirs =
    subject.kind === 'project'
      ? `project_id = ${literal(subject.subject_id)}`
      : `(target_id = any (${textArray(ids)}) or (${company} and (${mentions("coalesce(before, '{}')", subject)}
          or ${mentions("coalesce(after, '{}')", subject)})))`
  const where = `erased_at is null and target_kind not in ('data_erasure', 'data_export') and ${theirs}`
  return transaction(async (em) => {
    const [row] = await em.execute<{ count: number }[]>(`
      with erased as (
        update audit_entry set before = null, after = null, actor_name = null, address = null, erased_at = now()
        where ${placesOf('audit_entry', where)} returning 1
      ) select count(*)::int as count from erased`)
    return { cursor: row!.count > 0 ? '' : null, counts: { audit_entry: row!.count } }
  })
}

/** The phones of the subject in bulk sends. A recipient who is not taken up yet gets no message. */
export function eraseRecipients({ subject, cursor, transaction }: BatchContext): Promise<Progress> {
  const digits = [...new Set(subject.identities.map((one) => one.replace(/^\+/, '')))]
  return transaction(async (em) => {
    const [next] = await em.execute<{ id: string }[]>(
      `select id from broadcast where ${inProjects(subject)} and id > ${literal(cursor)} order by id limit 1`,
    )
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
    return { cursor: next.id, counts: { broadcast_recipient: taken!.count + waiting } }
  })
}

/** Why a recipient of a bulk send got no message. */
const ERASED = { code: 'RECIPIENT_ERASED', message: 'The data of the recipient was erased.' }

/** Waits until no message between actors names the person: each is applied or parked soon. */
export function awaitOutbox({ subject, transaction }: BatchContext): Promise<Progress> {
  return transaction(async (em) => {
    const [row] = await em.execute<{ address: string }[]>(
      `select address from outbox where ${mentions('message', subject)} limit 1`,
    )
    return row ? { cursor: '', waits: `${row.address} has not taken its messages yet` } : { cursor: null }
  })
}

/** Empties everything that a project leaves in the tables of the engine. */
export function eraseAddresses({ subject, cursor, transaction, erasure }: BatchContext): Promise<Progress> {
  const tables = ['dead_letter', 'timer', 'actor_state'] as const
  return transaction(async (em) => {
    for (let at = Number(cursor || 0); at < tables.length; at++) {
      const table = tables[at]!
      const body = table === 'actor_state' ? 'state' : 'message'
      const where = `(address in (select value from data_erasure_part where erasure_id = ${literal(erasure._id)}
          and kind = 'address') or ${body}::text like ${literal(`%${subject.subject_id}%`)})`
      const count = await deleteBatch(em, table, where)
      if (count > 0) return { cursor: String(at), counts: { [table]: count } }
    }
    const waiting = await em.execute<{ address: string }[]>(
      `select address from outbox where message::text like ${literal(`%${subject.subject_id}%`)} limit 1`,
    )
    const [row] = waiting
    return row ? { cursor: '', waits: `${row.address} has not taken its messages yet` } : { cursor: null }
  })
}
