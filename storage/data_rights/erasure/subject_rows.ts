/** The beginning and the end of an erasure: the records that it is named after. */
import { ForeignKeyConstraintViolationException } from '@mikro-orm/core'
import type { Database } from '../../database/database.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { contactIdentities, customerIdentities, type NamedSubject, personOf, resolveSubject } from '../subject.ts'
import { addParts } from './parts.ts'
import type { BatchContext, Progress } from './transaction.ts'

/** The place of `notePerson` when it has noted the person once. */
const NOTED = 'noted'

/**
 * Notes what leads to the records of a person. The phone and the address of a customer are removed at once, so that no
 * further contact is linked to the customer. From then on the contacts are neither merged nor separated: what is under way
 * ends, so that each record is that of its person, and all is noted once more.
 */
export async function notePerson({ database, erasure, subject, cursor, transaction }: BatchContext): Promise<Progress> {
  if (cursor === NOTED && (await isMerging(database, subject.contacts))) {
    return { cursor: NOTED, waits: 'Records of the contact are being moved by a merge or its undo.' }
  }
  const earlier = await earlierIdentities(database, subject)
  return transaction(async (em) => {
    const found = await resolveSubject((query) => em.execute(query), subject)
    const { contacts, customers, tickets, identities } = found
    const values = (list: string[]) => list.map((value) => ({ value }))
    const known = await em.execute<{ value: string; project_id: string; identities: string[] }[]>(sql`
      select _id as value, project_id, ${contactIdentities(sql`contact`)} as identities
      from contact where _id = any (${contacts})`)
    const points = await em.execute<{ identities: string[] }[]>(sql`
      select ${customerIdentities(sql`customer`)} as identities from customer where _id = any (${customers})`)
    const own = points.flatMap((one) => one.identities)
    const withOwn = known.map((one) => {
      const before = earlier.flatMap(({ _id, identity }) => (_id === one.value ? [identity] : []))
      return { ...one, identities: [...new Set([...one.identities, ...own, ...before])] }
    })
    await addParts(em, erasure._id, 'contact', withOwn)
    await addParts(em, erasure._id, 'customer', values(customers))
    await addParts(em, erasure._id, 'ticket', values(tickets))
    await addParts(em, erasure._id, 'identity', values([...identities, ...earlier.map(({ identity }) => identity)]))
    if (customers.length > 0) {
      await em.execute(sql`update customer set phone = null, email = null where _id = any (${customers})`)
    }
    return { cursor: cursor === NOTED ? null : NOTED }
  })
}

async function isMerging(database: Database, contact_ids: readonly string[]): Promise<boolean> {
  const rows = await database.execute(sql`
    select 1 from contact_merge where (contact_id = any (${contact_ids}) or from_contact_id = any (${contact_ids}))
      and status in ('merging', 'undoing') limit 1`)
  return rows.length > 0
}

/**
 * Numbers and ids that the contacts had before, as their messages have them. Those that are of somebody else by now are
 * left out. It reads all messages of the person, so it takes no part in a transaction.
 */
function earlierIdentities(database: Database, named: NamedSubject): Promise<{ _id: string; identity: string }[]> {
  const is_of = (contact: Sql) =>
    sql`coalesce(identity in (${contact}.user_id, ${contact}.bsuid, ltrim(${contact}.phone, '+')), false)`
  return database.execute(sql`
    with said as materialized (
      select distinct contact._id, company_id, ltrim(case direction when 'inbound' then "from" else "to" end, '+') as identity
      from contact join message using (company_id) where chat_user = contact._id and contact._id in (${personOf(named)})
    )
    select said._id, identity from said join contact own using (_id)
    where identity <> '' and not ${is_of(sql`own`)} and not exists (
      select from contact other
      where other.company_id = said.company_id and other._id <> said._id and ${is_of(sql`other`)})`)
}

/** Deletes the customer. Contacts that were linked meanwhile are erased first. */
export function eraseCustomer({ subject, transaction }: BatchContext): Promise<Progress> {
  return unlessHeld('note', () =>
    transaction(async (em) => {
      const ids = sql`${subject.customers}`
      const [linked] = await em.execute(sql`select 1 from contact where customer_id = any (${ids}) limit 1`)
      if (linked) return { cursor: null, back_to: 'note' }
      const gone = await em.execute(sql`delete from customer where _id = any (${ids}) returning 1`)
      // Pieces of names that no customer has any more. The empty one is the total.
      await em.execute(
        sql`delete from customer_gram where company_id = ${subject.company_id} and count = 0 and gram <> ''`,
      )
      return { cursor: null, counts: { customer: gone.length } }
    }),
  )
}

/** Notes the addresses of the actors of a project. */
export function noteProject({ erasure, subject, transaction }: BatchContext): Promise<Progress> {
  const of = (kind: string, table: string, id: Sql) =>
    sql`select ${`${kind}/`} || ${id} as value from ${sql.id(table)} where project_id = ${subject.subject_id}`
  return transaction(async (em) => {
    await em.execute(sql`
      insert into data_erasure_part (erasure_id, kind, value)
      select ${erasure._id}, 'address', value from (
        select 'project/' || ${subject.subject_id} as value union ${of('channel', 'channel', sql`_id`)}
        union ${of('subscription', 'subscription', sql`id`)} union ${of('broadcast', 'broadcast', sql`id`)}) known
      on conflict do nothing`)
    return { cursor: null }
  })
}

/** Deletes the project. Records that were stored meanwhile are erased first. */
export function eraseProject({ subject, transaction }: BatchContext): Promise<Progress> {
  return unlessHeld('note', () =>
    transaction(async (em) => {
      const id = sql`${subject.subject_id}`
      // An upload stores its row while it holds the project, and none begins after this.
      await em.execute(sql`select 1 from project where _id = ${id} for update`)
      const [uploaded] = await em.execute(sql`select 1 from media where project_id = ${id} limit 1`)
      if (uploaded) return { cursor: null, back_to: 'note' }
      const gone = await em.execute(sql`delete from project where _id = ${id} returning 1`)
      return { cursor: null, counts: { project: gone.length } }
    }),
  )
}

async function unlessHeld(back_to: string, erase: () => Promise<Progress>): Promise<Progress> {
  try {
    return await erase()
  } catch (error) {
    if (!(error instanceof ForeignKeyConstraintViolationException)) throw error
    return { cursor: null, back_to }
  }
}

/** Counts the records that ended in turns of projects, proves the identities, and forgets what was looked for. */
export function finishErasure({ erasure, subject, transaction, prove }: BatchContext): Promise<Progress> {
  return transaction(async (em) => {
    const { contacts, tickets, identities } = subject
    // Ids too: what names one of them later is refused.
    await prove(em, [...identities, ...contacts, ...tickets])
    const counted = await em.execute<{ kind: string; count: number }[]>(sql`
      with gone as (delete from data_erasure_part where erasure_id = ${erasure._id} returning kind)
      select kind, count(*)::int as count from gone
      where kind in ('contact', 'ticket', 'draft', 'notification') group by kind`)
    return { cursor: null, counts: Object.fromEntries(counted.map(({ kind, count }) => [kind, count])) }
  })
}
