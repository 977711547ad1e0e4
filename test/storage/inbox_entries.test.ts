/** Entries of the inbox follow their tickets, also where nodes of the release before write. */
import t from 'tap'
import { testDatabase } from '../support/mod.ts'

const { database } = await testDatabase(t)
const rows = () =>
  database.execute(`select ticket_id, project_id, is_closed, assigned_to, handled_by, stage_id, priority, tag_ids, channel_type, channel_id,
    inbound_count, waiting_since is not null as waits, extract(epoch from last_activity_at)::int as at
    from inbox_entry order by ticket_id`)
const ticket = (id: string) =>
  `insert into ticket (_id, company_id, project_id, chat_user, priority, created_at) values ('${id}', 'c', 'p', 'of-${id}', 'low', to_timestamp(100))`
const activity = (id: string, unread: number, at: number) => `
  insert into ticket_activity (ticket_id, unread_count, last_activity_at) values ('${id}', ${unread}, to_timestamp(${at}))
  on conflict (ticket_id) do update set unread_count = excluded.unread_count, last_activity_at = excluded.last_activity_at`

await database.execute(`insert into company (_id, name) values ('c', 'Acme')`)
await database.execute(
  `insert into "user" (_id, company_id, full_name, email) values ('u', 'c', 'Ana', 'a@example.com')`,
)
await database.execute(`insert into contact (_id, company_id, project_id, channel_type, channel_id, user_id, custom_fields,
    first_seen_at, last_seen_at)
  select 'of-' || name, 'c', 'p', 'telegram', 'channel', name, '{}', now(), now() from unnest(array['a', 'b']) name`)

const entry = (ticket_id: string) => ({
  ticket_id,
  project_id: 'p',
  is_closed: false,
  assigned_to: null,
  handled_by: null,
  stage_id: null,
  priority: 'low',
  tag_ids: [],
  channel_type: 'telegram',
  channel_id: 'channel',
})

t.test('a ticket that an older node opens for a message has an entry with the message', async (t) => {
  await database.execute(activity('a', 1, 200))
  await database.execute(ticket('a'))
  t.same(await rows(), [{ ...entry('a'), inbound_count: 1, waits: true, at: 200 }])
})

t.test('its later messages are counted, and what is read or sent moves nothing', async (t) => {
  await database.execute(activity('a', 3, 300))
  await database.execute(activity('a', 0, 400))
  await database.execute(activity('a', 1, 500))
  t.same(await rows(), [{ ...entry('a'), inbound_count: 4, waits: true, at: 500 }])
  t.same(await database.execute('select inbound_count, unread_count from ticket_activity'), [
    { inbound_count: 4, unread_count: 1 },
  ])
})

t.test('a ticket without any message has an entry, too, and changes of tickets are copied', async (t) => {
  await database.execute(ticket('b'))
  await database.execute(`update ticket set tag_ids = array['x'], stage_id = null, assigned_to = 'u' where _id = 'b'`)
  await database.execute(`update inbox_entry set snoozed_at = now()`)
  await database.execute(`update ticket set is_closed = true, closed_at = now(), priority = null where _id = 'a'`)
  t.same(await rows(), [
    { ...entry('a'), inbound_count: 4, waits: true, at: 500, is_closed: true, priority: null },
    { ...entry('b'), inbound_count: 0, waits: false, at: 100, assigned_to: 'u', tag_ids: ['x'] },
  ])
  t.same(await database.execute('select ticket_id from inbox_entry where snoozed_at is not null'), [{ ticket_id: 'b' }])
})

t.test('whose turn it is follows the ticket, with a change of its version and without', async (t) => {
  const handlers = () => database.execute('select ticket_id, handled_by from inbox_entry order by ticket_id')
  await database.execute(`update ticket set handled_by = 'assistant' where _id = 'b'`)
  await database.execute(`update ticket set handled_by = 'person', version = version + 1 where _id = 'a'`)
  t.same(await handlers(), [
    { ticket_id: 'a', handled_by: 'person' },
    { ticket_id: 'b', handled_by: 'assistant' },
  ])
  await database.execute('update ticket set handled_by = null')
  t.same(new Set((await handlers()).map(({ handled_by }) => handled_by)), new Set([null]))
})
