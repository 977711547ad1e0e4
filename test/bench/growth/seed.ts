import pg from 'pg'
import { openDatabase } from '../../../storage/mod.ts'
import type { OpenProject, Parley } from '../servers/parley.ts'
import { seedCustomers } from './customers.ts'

/** The tickets of each contact, the last of which is open, and the events on each ticket. */
const TICKETS_EACH = 10

/** Our records that the requests name, spread evenly over all records. */
export type Sample = { contacts: string[]; tickets: string[]; subscription_id: string }

const SAMPLE = 1000
const id = (kind: number, n: string) => `'0000000${kind}' || lpad(to_hex(${n}), 16, '0')`

/**
 * Fills a project with `count` each of tickets, events, customers of its company, and pending deliveries of one
 * subscription, due in a day. The rows go straight into the tables; indexes for searches are made afterwards, which
 * takes a tenth of the time.
 */
export async function seedProject(
  { database_url, port }: Parley,
  { project_id, token }: OpenProject,
  count: number,
): Promise<Sample> {
  const database = new pg.Client({ connectionString: database_url })
  await database.connect()
  try {
    const project = `select company_id from project where _id = '${project_id}'`
    const { company_id } = (await database.query(project)).rows[0]
    const subscription_id = await subscribe(port, token)
    const searches = await database.query(
      `select indexname, indexdef from pg_indexes where schemaname = 'public' and indexdef like '%gin%'
       and tablename in ('customer', 'contact')`,
    )
    for (const { indexname } of searches.rows) await database.query(`drop index ${indexname}`)
    const people = Math.max(1, count / TICKETS_EACH)
    const owner = `'${company_id}', '${project_id}'`
    const person = `(n - 1) / ${TICKETS_EACH} + 1`
    await database.query(`
      insert into contact (_id, company_id, project_id, channel_type, user_id, phone, name)
      select ${id(1, 'n')}, ${owner}, 'telegram', 'u' || n, '+5215' || lpad(n::text, 9, '0'), 'Ana'
      from generate_series(1, ${people}) n`)
    await database.query(`
      insert into ticket (_id, company_id, project_id, chat_user, is_closed, closed_at, created_at)
      select ${id(2, 'n')}, ${owner}, ${id(1, person)}, n % ${TICKETS_EACH} <> 0,
        case when n % ${TICKETS_EACH} <> 0 then now() end, now() - interval '1 second' * (${count} - n)
      from generate_series(1, ${count}) n`)
    await database.query(`
      insert into crm_event (_id, company_id, project_id, event_type, data, ticket_id, chat_user, created_at)
      select ${id(3, 'n')}, ${owner}, 'payment.link_sent', '{"order":"A-1001","total":129.9,"carrier":"DHL"}',
        ${id(2, 'n')}, ${id(1, person)}, now() - interval '1 second' * (${count} - n)
      from generate_series(1, ${count}) n`)
    await database.query(`
      insert into delivery (id, subscription_id, project_id, event_id, event_type, next_attempt_at)
      select 'dlv_' || lpad(to_hex(extract(epoch from now())::int), 8, '0') || lpad(to_hex(n), 16, '0'),
        '${subscription_id}', '${project_id}', 'evt_' || lpad(to_hex(n), 24, '0'), 'crm.event.recorded', now() + interval '1 day'
      from generate_series(1, ${count}) n`)
    const storage = await openDatabase({ url: database_url, pool_size: 1 })
    await seedCustomers(storage, company_id, count)
    await storage.close()
    for (const { indexdef } of searches.rows) await database.query(indexdef)
    await database.query('vacuum (analyze) contact, ticket, crm_event, delivery, customer')
    const sample = async (kind: number, most: number, step: number) => {
      const rows = await database.query(
        `select ${id(kind, `${step}::bigint * n`)} as id from generate_series(1, ${Math.min(SAMPLE, most / step)}) n`,
      )
      return rows.rows.map((row) => row.id as string)
    }
    const step = (most: number) => Math.max(1, Math.floor(most / SAMPLE))
    return {
      contacts: await sample(1, people, step(people)),
      // The sampled tickets are open ones.
      tickets: await sample(2, count, step(people) * TICKETS_EACH),
      subscription_id,
    }
  } finally {
    await database.end()
  }
}

/** Makes a subscription without any events. */
async function subscribe(port: number, token: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'Growth',
      url: 'https://receiver.example.com/',
      events: ['crm.event.recorded'],
      is_active: false,
    }),
  })
  if (!response.ok) throw new Error(`no subscription: ${await response.text()}`)
  return String(((await response.json()) as { id: string }).id)
}
