/** The reads of a trace go along indexes, however large the tables are, and pass days without an index by. */
import t from 'tap'
import { keepDayTables, objectIdAt, readTrace } from '../../storage/mod.ts'
import { testDatabase } from '../support/mod.ts'
import { plansOf } from './plans.ts'

const NOW = new Date()
const head = (days: number) => objectIdAt(new Date(NOW.getTime() + days * 86_400_000)).slice(0, 8)
const dayOf = (days: number) =>
  new Date(NOW.getTime() + days * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')

t.test('no read of a trace scans a table', async (t) => {
  const { database } = await testDatabase(t)
  await keepDayTables(database, null)
  // A row in each second.
  const seconds = Math.floor(NOW.getTime() / 1000)
  const id = `lpad(to_hex(${seconds} - n), 8, '0') || lpad(to_hex(n), 16, '0')`
  const at = `to_timestamp(${seconds} - n)`
  const data = `json_build_object('message_id', 'msg_' || ${id})`
  for (const statement of [
    `insert into message (id, company_id, project_id, channel, channel_id, direction, type, message, status, created_at, updated_at, request_id)
      select 'msg_' || ${id}, 'c', 'p', 'whatsapp', 'ch', 'outbound', 'text', '{}', 'sent', ${at}, ${at}, 'r' || n from generate_series(1, 20000) n`,
    `insert into event (id, project_id, type, data, subscription_ids, created_at, request_id)
      select 'evt_' || ${id}, 'p', 'x.y', replace(${data}::text, ' ', '')::json, '{wh_1}', ${at}, 'r' || n from generate_series(1, 20000) n`,
    `insert into delivery (id, subscription_id, project_id, event_id, event_type, created_at, request_id)
      select 'dlv_' || ${id}, 'wh_1', 'p', 'evt_' || ${id}, 'x.y', ${at}, 'r' || n from generate_series(1, 20000) n`,
    `insert into attempt select 'dlv_' || ${id}, 1, ${at}, 200, 1, null, '{}', null from generate_series(1, 20000) n`,
    `insert into audit_entry (_id, actor_kind, action, target_kind, request_id)
      select ${id}, 'token', 'x', 'y', 'r' || n from generate_series(1, 20000) n`,
    'analyze message, event, delivery, attempt, audit_entry',
  ])
    await database.execute(statement)
  const own = `${(seconds - 77).toString(16)}${(77).toString(16).padStart(16, '0')}`
  for (const [kind, of] of [
    ['request', 'r77'],
    ['message', `msg_${own}`],
    ['event', `evt_${own}`],
  ] as const) {
    const found = await readTrace(database, kind, of)
    t.same(
      [found.messages, found.events, found.deliveries, found.attempts, found.audit_entries].map((rows) => rows.length),
      [1, 1, 1, 1, 1],
      kind,
    )
    for (const plan of await plansOf(database, (reader) => readTrace(reader, kind, of))) {
      const scanned = /Seq Scan on (message|event_\w+|delivery_\w+|attempt_\w+|audit_entry)/.exec(plan)
      // A partition without rows has one page at most.
      t.ok(!scanned || !scanned[1]!.endsWith(dayOf(0)), `${kind}\n${plan}`)
      t.notMatch(plan, /Seq Scan on (message|audit_entry)/)
    }
  }
})

t.test('a day that had rows before requests were kept is passed by', async (t) => {
  const { database } = await testDatabase(t)
  await keepDayTables(database, null)
  const store = (days: number) =>
    database.execute(`insert into event (id, project_id, type, data, subscription_ids, request_id)
      values ('evt_${head(days)}0123456789abcdef', 'p', 'x', '{}', '{}', 'one')`)
  await Promise.all([store(0), store(1)])
  const found = async () => (await readTrace(database, 'request', 'one')).events.map(({ id }) => id.slice(4, 12))
  t.same(await found(), [head(0), head(1)])
  const indexes = await database.execute<{ name: string }>(
    `select indexname as name from pg_indexes where tablename = 'event_${dayOf(0)}' and indexdef like '%request_id%'`,
  )
  t.equal(indexes.length, 1)
  await database.execute(`drop index ${indexes[0]!.name}`)
  t.same(await found(), [head(1)])
})

t.test('among many events those of the request are found, and the number of those not searched is told', async (t) => {
  const { database } = await testDatabase(t)
  await keepDayTables(database, null)
  const message_id = `msg_${head(0)}0123456789abcdef`
  await database.execute(`
    insert into message (id, company_id, project_id, channel, channel_id, direction, type, message, status, created_at, updated_at, request_id)
    select '${message_id}', 'c', 'p', 'whatsapp', 'ch', 'outbound', 'text', '{}', 'queued', at, at, 'mine'
      from to_timestamp(${Math.floor(NOW.getTime() / 1000)}) at`)
  const store = (n: number, project_id: string, request_id: string) =>
    `('evt_${head(0)}${n.toString(16).padStart(16, '0')}', '${project_id}', 'x', '{"message_id":"${message_id}"}', '{}', '${request_id}')`
  await database.execute(`
    insert into event (id, project_id, type, data, subscription_ids, request_id) values
      ${store(1, 'p', 'early')}, ${store(30_000, 'p', 'mine')}, ${store(30_001, 'p', 'late')}, ${store(2, 'other', 'mine')}`)
  const found = async () => {
    const { events, left_out } = await readTrace(database, 'message', message_id)
    return { requests: events.map(({ request_id }) => request_id), unsearched: left_out.unsearched_events }
  }
  t.same(await found(), { requests: ['early', 'mine', 'late'], unsearched: 0 })
  await database.execute(`
    insert into event (id, project_id, type, data, subscription_ids)
    select 'evt_${head(0)}' || lpad(to_hex(n), 16, '0'), 'other', 'x', '{}', '{}' from generate_series(100, 25099) n`)
  t.same(await found(), { requests: ['early', 'mine'], unsearched: 5004 })
})
