/** Projects keep their records for their own number of days. */
import t from 'tap'
import {
  changeRetention,
  type Database,
  keepDayTables,
  maxDays,
  objectIdAt,
  type Project,
  type RetentionChanges,
  sweepRetention,
} from '../../storage/mod.ts'
import { type RetentionKind, retentionKinds } from '../../storage/retention/kinds.ts'
import { sql } from '../../storage/sql/sql.ts'
import { testDatabase } from '../support/mod.ts'
import { storeTenant } from './records.ts'

const DAY_MS = 86_400_000
const CONFIGURED = { retention_days: 30, audit_days: 30 }
const AGES = [0, 10, 40]
const ago = (days: number) => new Date(Date.now() - days * DAY_MS)
let rows = 0
const idOf = (days: number) => `${objectIdAt(ago(days)).slice(0, 8)}${String(++rows).padStart(16, '0')}`

const { database } = await testDatabase(t)
await database.execute(`select day_tables_add('${ago(45).toISOString().slice(0, 10)}', current_date)`)

async function newProject(): Promise<Project> {
  return (await storeTenant(database)).project
}

/** Stores one record of every kind that has days, for each of the ages. */
async function fill(database: Database, { _id: project, company_id: company }: Project): Promise<void> {
  const channel = idOf(0)
  const tool = idOf(0)
  await database.execute(`
    insert into channel (_id, company_id, project_id, channel_type, provider, name)
      values ('${channel}', '${company}', '${project}', 'web', 'web', 'x');
    insert into agent_tool (_id, company_id, project_id, name, description, url, method, parameters, timeout_ms)
      values ('${tool}', '${company}', '${project}', 'x', 'x', 'https://x', 'GET', '[]', 1);
    insert into assistant_test_set (_id, company_id, project_id, assistant_id, name, runs, pass_rate, cases, case_count,
        created_at, updated_at)
      values ('${tool}', '${company}', '${project}', '${tool}', 'x', 1, 1, '[]', 0, now(), now())`)
  for (const days of AGES) {
    const id = idOf(days)
    const at = ago(days).toISOString()
    const owner = `'${company}', '${project}'`
    await database.execute(`
      insert into message (id, company_id, project_id, channel, channel_id, direction, type, message, status, created_at)
        values ('msg_${id}', ${owner}, 'web', '${channel}', 'inbound', 'text', '{"body": "x"}', 'received', '${at}');
      insert into message (id, company_id, project_id, channel, channel_id, direction, type, message, status, created_at)
        values ('msg_${idOf(days)}', ${owner}, 'web', '${channel}', 'outbound', 'text', '{}', 'queued', '${at}');
      insert into message_text values ('msg_${id}', '${project}', to_tsvector('x'));
      insert into event values ('evt_${id}', '${project}', 'x', '{}', '{wh_1}', '${at}');
      insert into delivery (id, subscription_id, project_id, event_id, event_type, created_at)
        values ('dlv_${id}', 'wh_1', '${project}', 'evt_${id}', 'x', '${at}');
      insert into attempt values ('dlv_${id}', 1, '${at}', 200, 1, null, '{}', null);
      insert into crm_event (_id, company_id, project_id, event_type, data, ticket_id, chat_user)
        values ('${id}', ${owner}, 'x', '{}', '${id}', 'c');
      insert into note (_id, company_id, project_id, content, type, ticket_id, created_by)
        values ('${id}', ${owner}, 'x', 'note', '${id}', 'u');
      insert into ticket (_id, company_id, project_id, chat_user, is_closed, closed_at)
        values ('${id}', ${owner}, '${id}', true, '${at}');
      insert into ticket (_id, company_id, project_id, chat_user) values ('${idOf(days)}', ${owner}, '${id}');
      insert into ticket_activity (ticket_id, last_activity_at) values ('${id}', '${at}');
      insert into appointment (id, company_id, project_id, number, status, modality, payment_status, starts_at, ends_at,
          timezone)
        values ('${id}', ${owner}, ${++rows}, 'pending', 'online', 'unpaid', '${at}', '${ago(days - 0.01).toISOString()}', 'UTC');
      insert into broadcast (id, company_id, project_id, channel_id, template_name, language, status, total,
          pending_count, sent_count, completed_at)
        values ('brd_${id}', ${owner}, '${channel}', 'x', 'en', 'completed', 1, 0, 1, '${at}');
      insert into broadcast_recipient (broadcast_id, index, phone) values ('brd_${id}', 0, '+15550001');
      insert into media (media_id, company_id, project_id, mime_type, file_size, sha256, blob_key, created_at, expires_at)
        values ('${id}', ${owner}, 'text/plain', 1, 'x', '${id}', '${at}', '${ago(days - 30).toISOString()}');
      insert into agent_tool_call (_id, company_id, project_id, tool_id, arguments, succeeded, duration_ms, is_truncated, created_at)
        values ('${id}', ${owner}, '${tool}', '{}', true, 1, false, '${at}');
      insert into assistant_test_run (_id, company_id, project_id, assistant_id, test_set_id, name, runs, least_pass_rate,
          cases, case_count, state, total, created_at, ended_at)
        values ('${id}', ${owner}, 'a', '${tool}', 'x', 1, 1, '[]', 0, 'done', 1, '${at}', '${at}');
      insert into assistant_test_run (_id, company_id, project_id, assistant_id, test_set_id, name, runs, least_pass_rate,
          cases, case_count, state, total, created_at)
        values ('${idOf(days)}', ${owner}, 'a', '${tool}', 'x', 1, 1, '[]', 0, 'running', 1, '${at}');
      insert into assistant_test_result (run_id, position, company_id, project_id, case_name, repetition, has_passed,
          failures, steps, input_tokens, output_tokens, started_at, ended_at)
        values ('${id}', 0, ${owner}, 'x', 1, true, '[]', '[]', 1, 1, '${at}', '${at}');
      insert into audit_entry (_id, created_at, actor_kind, action, target_kind, company_id, project_id)
        values ('${id}', '${at}', 'system', 'x', 'x', ${owner});
      insert into knowledge_node (_id, company_id, project_id, type, name, content, index_status, is_active, updated_at)
        values ('${id}', ${owner}, 'document', 'x', 'x', 'indexed', false, '${at}')`)
  }
}

const KINDS: Record<string, string> = {
  messages: "message where status = 'received' and",
  queued: "message where status = 'queued' and",
  words: 'message_text where',
  events: 'event where',
  deliveries: 'delivery where',
  crm_events: 'crm_event where',
  notes: 'note where',
  closed_tickets: 'ticket where is_closed and',
  open_tickets: 'ticket where not is_closed and',
  appointments: 'appointment where',
  broadcasts: 'broadcast where',
  media: 'media where expires_at > now() and',
  tool_calls: 'agent_tool_call where',
  assistant_test_runs: 'assistant_test_run where ended_at is not null and',
  test_results: 'assistant_test_result where',
  runs_under_way: 'assistant_test_run where ended_at is null and',
  audit: 'audit_entry where',
  deleted_documents: 'knowledge_node where content is not null and',
}

async function left({ _id }: Project): Promise<Record<string, number>> {
  const counts = Object.entries(KINDS).map(
    ([name, rows]) => `(select count(*)::int from ${rows} project_id = '${_id}') as ${name}`,
  )
  const [row] = await database.execute<Record<string, number>>(`select ${counts.join()}`)
  return row!
}

const change = ({ _id }: Project, changes: RetentionChanges) => changeRetention(database, _id, changes, CONFIGURED)
const sweep = async () => {
  await keepDayTables(database, await maxDays(database, CONFIGURED))
  return sweepRetention(database, CONFIGURED)
}

t.test('each kind is kept for the days of its project, and no other project is touched', async (t) => {
  const [short, plain] = [await newProject(), await newProject()]
  for (const project of [short, plain]) await fill(database, project)
  const week = { messages: 7, events: 7, deliveries: 7, crm_events: 7, notes: 7, closed_tickets: 7, broadcasts: 7 }
  await change(short, {
    ...week,
    audit: 7,
    appointments: 7,
    media: 7,
    tool_calls: 7,
    assistant_test_runs: 7,
    deleted_documents: 7,
  })
  const before = await left(plain)
  const deleted = await sweep()
  const young = Object.fromEntries(Object.keys(await left(short)).map((kind) => [kind, 1]))
  t.same(await left(short), { ...young, queued: 3, open_tickets: 3, runs_under_way: 3 })
  // The tables of the days before the configured number are dropped for all.
  t.same(await left(plain), { ...before, events: 2, deliveries: 2 })
  t.same(deleted, {
    messages: 2,
    // With their events and notes.
    closed_tickets: 6,
    appointments: 2,
    broadcasts: 2,
    media: 2,
    tool_calls: 2,
    assistant_test_runs: 2,
    audit: 2,
    deleted_documents: 2,
    events: 1,
    deliveries: 1,
  })
  const [orphans] = await database.execute(`select
    (select count(*)::int from attempt where delivery_id not in (select id from delivery)) as attempts,
    (select count(*)::int from broadcast_recipient where broadcast_id not in (select id from broadcast)) as recipients,
    (select count(*)::int from ticket_activity where ticket_id not in (select _id from ticket)) as activities,
    (select count(*)::int from message_text where id not in (select id from message)) as words`)
  t.same(orphans, { attempts: 0, recipients: 0, activities: 0, words: 0 })
  t.same(await sweep(), {}, 'and again there is nothing to do')
})

t.test('a longer time keeps the day tables, and other projects keep nothing longer than before', async (t) => {
  const [long, plain] = [await newProject(), await newProject()]
  await database.execute(`select day_tables_add('${ago(45).toISOString().slice(0, 10)}', current_date)`)
  for (const project of [long, plain]) await fill(database, project)
  await change(long, { events: null, deliveries: 365, media: 365, tool_calls: 365 })
  t.equal(await maxDays(database, CONFIGURED), null)
  await sweep()
  const { events, deliveries, media } = await left(long)
  t.same({ events, deliveries, media }, { events: 3, deliveries: 3, media: 3 })
  const others = await left(plain)
  t.same({ events: others.events, deliveries: others.deliveries }, { events: 2, deliveries: 2 })

  await change(long, { events: 'default', deliveries: 5, media: 'default' })
  t.equal(await maxDays(database, CONFIGURED), 30)
  t.same(await sweep(), { media: 2, deliveries: 1 }, 'the walk begins anew')
  const reduced = await left(long)
  t.same(
    { events: reduced.events, deliveries: reduced.deliveries, media: reduced.media },
    { events: 2, deliveries: 1, media: 2 },
  )
})

t.test('a node of the version before, which knows no settings, drops no day that a project keeps', async (t) => {
  const project = await newProject()
  await database.execute(`select day_tables_add('${ago(45).toISOString().slice(0, 10)}', current_date)`)
  await fill(database, project)
  for (const [days, kept] of [
    [365, 3],
    [null, 3],
    [35, 2],
  ] as const) {
    await change(project, { events: days })
    await keepDayTables(database, CONFIGURED.retention_days)
    t.equal((await left(project)).events, kept, `${days} days`)
  }
  await change(project, { events: 'default' })
})

t.test('a sweep deletes a bounded number of rows at a time, and ends while more records expire', async (t) => {
  const { _id: project, company_id: company } = await newProject()
  await database.execute(`select day_tables_add('${ago(45).toISOString().slice(0, 10)}', current_date)`)
  const at = ago(10).toISOString()
  const tool = idOf(0)
  const ids = `'${objectIdAt(ago(10)).slice(0, 8)}' || lpad(n::text, 16, 'f')`
  await database.execute(`
    insert into agent_tool (_id, company_id, project_id, name, description, url, method, parameters, timeout_ms)
      values ('${tool}', '${company}', '${project}', 'x', 'x', 'https://x', 'GET', '[]', 1);
    insert into note (_id, company_id, project_id, content, type, ticket_id, created_by)
      select ${ids}, '${company}', '${project}', 'x', 'note', 't', 'u' from generate_series(1, 1200) n;
    insert into delivery (id, subscription_id, project_id, event_id, event_type, created_at)
      select 'dlv_' || ${ids}, 'wh_1', '${project}', 'evt_x', 'x', '${at}' from generate_series(1, 1200) n;
    insert into attempt select 'dlv_' || ${ids}, 1, '${at}', 200, 1, null, '{}', null from generate_series(1, 1200) n;
    insert into attempt select 'dlv_' || ${ids}, a, '${at}', 200, 1, null, '{}', null
      from generate_series(600, 600) n, generate_series(2, 6000) a;
    insert into agent_tool_call (_id, company_id, project_id, tool_id, arguments, succeeded, duration_ms, is_truncated, created_at)
      values ('${idOf(10)}', '${company}', '${project}', '${tool}', '{}', true, 1, false, '${at}');

    create table deleted (name text, count integer);
    create function note_deleted() returns trigger language plpgsql as $$ begin
      insert into deleted select tg_table_name, count(*) from gone; return null; end $$;
    create function refill() returns trigger language plpgsql as $$ begin
      insert into agent_tool_call (_id, company_id, project_id, tool_id, arguments, succeeded, duration_ms, is_truncated, created_at)
        values (md5(random()::text), '${company}', '${project}', '${tool}', '{}', true, 1, false, clock_timestamp() - interval '7 days');
      return null; end $$;
    create trigger refill after delete on agent_tool_call for each row execute function refill();
    ${['note', 'delivery', 'attempt']
      .map(
        (table) => `create trigger counted after delete on ${table} referencing old table as gone
          for each statement execute function note_deleted()`,
      )
      .join(';')}`)
  await changeRetention(database, project, { notes: 7, deliveries: 7, tool_calls: 7 }, CONFIGURED)
  let batches = 0
  const deleted = await sweepRetention(database, CONFIGURED, () => ++batches > 100)
  t.same(deleted, { notes: 1200, deliveries: 1200, tool_calls: 1 })
  t.ok(batches < 50, 'a record that expires meanwhile is left to the next sweep')
  const rows = await database.execute<{ name: string; most: number; sum: number }>(
    `select regexp_replace(name, '_.*', '') as name, max(count) as most, sum(count)::int as sum from deleted group by 1`,
  )
  t.match(Object.fromEntries(rows.map(({ name, ...counts }) => [name, counts])), {
    note: { most: 500, sum: 1200 },
    delivery: { most: 500, sum: 1200 },
    attempt: { most: 2500, sum: 7199 },
  })
  await database.execute('drop function note_deleted, refill cascade; drop table deleted; delete from agent_tool_call')
})

t.test('dead rows of each swept table are cleaned up long before they are many', async (t) => {
  const batch = { project: sql`${'p'}`, moment: sql`now()`, cutoff: sql`now()`, days: 1, limit: 1 }
  const swept = Object.values<RetentionKind>(retentionKinds).flatMap((kind) =>
    kind.by_day
      ? []
      : [...kind.statement(batch).sql.matchAll(/(?:delete from|(?<!for )update) (\w+)/g)].map(([, table]) => table!),
  )
  const rows = await database.execute<{ name: string }>(
    `select relname as name from pg_class where 'autovacuum_vacuum_scale_factor=0.02' = any (reloptions)`,
  )
  const tuned = new Set(rows.map(({ name }) => name))
  t.same(
    // Documents lose their contents, and few at a time.
    [...new Set(swept)].filter((name) => !tuned.has(name) && !['knowledge_node', 'broadcast'].includes(name)),
    [],
  )
})

t.test('nodes that sweep at once delete each record once', async (t) => {
  const project = await newProject()
  await database.execute(`select day_tables_add('${ago(45).toISOString().slice(0, 10)}', current_date)`)
  await fill(database, project)
  await change(project, { messages: 1, events: 1, deliveries: 1 })
  const sums: Record<string, number> = {}
  for (const deleted of await Promise.all([1, 2, 3].map(() => sweepRetention(database, CONFIGURED))))
    for (const [kind, count] of Object.entries(deleted)) sums[kind] = (sums[kind] ?? 0) + count
  t.same(sums, { messages: 2, events: 2, deliveries: 2 })
})

t.test('settings of an unknown project are refused', async (t) => {
  await t.rejects(changeRetention(database, 'nobody', { messages: 1 }, CONFIGURED), { code: 'NOT_FOUND' })
})
