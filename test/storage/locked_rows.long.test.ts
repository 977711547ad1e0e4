/**
 * Ten thousand expired rows that another session holds keep no other row from being deleted. One file, because it is one table
 * of all kinds of rows that expire.
 */
import t from 'tap'
import {
  type BlobStore,
  changeRetention,
  expireMedia,
  forgetAgentToolCalls,
  forgetAnswers,
  forgetAudit,
  forgetBulkActions,
  forgetDeadLetters,
  forgetEarlyStatuses,
  forgetKnowledge,
  forgetMails,
  forgetTestRuns,
  objectIdAt,
  type Project,
  sweepRetention,
} from '../../storage/mod.ts'
import { testDatabase } from '../support/mod.ts'
import { storeTenant } from './records.ts'

const ENTRIES = 10_000
const FEW = 3
const DAYS = 30
const CONFIGURED = { retention_days: DAYS, audit_days: DAYS }
const { database } = await testDatabase(t)

/** Rows of a project, or of a group of another kind: `count` of them, numbered on from those before. */
type Rows = { project: string; company: string; count: number }
/** `of`: a condition for the rows that are not swept yet. */
type Table = { table: string; insert(rows: Rows): string; of(project: string): string }

const DAY_MS = 86_400_000
const at = new Date(Date.now() - 40 * DAY_MS)
const AT = `'${at.toISOString()}'`
const LATER = `'${new Date(Date.now() + DAY_MS).toISOString()}'`
let numbered = 0
/** An id of forty days ago, later than all before, for each `n`. */
const ID = (prefix = '') => `'${prefix}${objectIdAt(at).slice(0, 8)}' || lpad(n::text, 16, '0')`

type Options = { prefix?: string; unswept?: string }

/**
 * A table with a column for the project; `columns` after the id, `values` as expressions of `n`. `unswept`: where the sweep
 * changes a row instead of deleting it.
 */
function table(name: string, key: string, columns: string, values: string, options: Options = {}): Table {
  const { prefix = '', unswept = 'true' } = options
  return {
    table: name,
    insert({ project, company, count }) {
      const from = numbered + 1
      numbered += count
      return `insert into ${name} (${key}, company_id, project_id, ${columns})
        select ${ID(prefix)}, '${company}', '${project}', ${values} from generate_series(${from}, ${numbered}) n`
    },
    of: (project) => `project_id = '${project}' and ${unswept}`,
  }
}

/** A table without projects, whose rows are told apart by a column. */
function plain(name: string, columns: string, values: (project: string) => string, column: string): Table {
  return {
    table: name,
    insert: ({ project, count }) =>
      `insert into ${name} (${columns}) select ${values(project)} from generate_series(1, ${count}) n`,
    of: (project) => `${column} like '%${project}%'`,
  }
}

const note = table('note', '_id', 'content, type, ticket_id, created_by', `'x', 'note', 't', 'u'`)
const tool_call = table(
  'agent_tool_call',
  '_id',
  'tool_id, arguments, succeeded, duration_ms, is_truncated, created_at',
  `(select _id from agent_tool limit 1), '{}', true, 1, false, ${AT}`,
)
const test_run = table(
  'assistant_test_run',
  '_id',
  'assistant_id, test_set_id, name, runs, least_pass_rate, cases, case_count, state, total, created_at, ended_at',
  `'a', 's', 'x', 1, 1, '[]', 0, 'done', 1, ${AT}, ${AT}`,
)
const audit = table('audit_entry', '_id', 'created_at, actor_kind, action, target_kind', `${AT}, 'system', 'x', 'x'`)
const document = table(
  'knowledge_node',
  '_id',
  'type, name, content, index_status, is_active, updated_at',
  `'document', 'x', 'x', 'indexed', false, ${AT}`,
  { unswept: 'content is not null' },
)
const media = (expires: string, options: Options = {}) =>
  table(
    'media',
    'media_id',
    'mime_type, file_size, sha256, blob_key, created_at, expires_at',
    `'text/plain', 1, 'x', ${ID()}, ${AT}, ${expires}`,
    options,
  )

/** A table of events or deliveries. `insert`: ends a statement that has the table `numbers`. */
function byDay(name: string, prefix: string, insert: (id: string) => string): Table {
  return {
    table: name,
    insert({ project, count }) {
      const from = numbered + 1
      numbered += count
      const numbers = `select n, '${project}' as project from generate_series(${from}, ${numbered}) n`
      return `with numbers as (${numbers}) ${insert(ID(prefix))} from numbers`
    },
    of: (project) => `project_id = '${project}'`,
  }
}

/** Each has an attempt. */
const delivery = byDay(
  'delivery',
  'dlv_',
  (
    id,
  ) => `, attempts as (insert into attempt select ${id}, 1, ${AT}::timestamptz, 200, 1, null, '{}', null from numbers)
    insert into delivery (id, subscription_id, project_id, event_id, event_type, created_at)
      select ${id}, 'wh_1', project, 'evt_x', 'x', ${AT}::timestamptz`,
)

/** Records of projects with settings of their own. */
const KINDS: Record<string, Table> = {
  messages: table(
    'message',
    'id',
    'channel, channel_id, direction, type, message, status, created_at',
    `'web', 'ch', 'inbound', 'text', '{"body": "x"}', 'received', ${AT}`,
    { prefix: 'msg_' },
  ),
  crm_events: table('crm_event', '_id', 'event_type, data, ticket_id, chat_user', `'x', '{}', 't', 'c'`),
  notes: note,
  closed_tickets: table('ticket', '_id', 'chat_user, is_closed, closed_at', `'c' || n, true, ${AT}`),
  appointments: table(
    'appointment',
    'id',
    'number, status, modality, payment_status, starts_at, ends_at, timezone',
    `n, 'pending', 'online', 'unpaid', ${AT}, ${AT}::timestamptz + interval '1 hour', 'UTC'`,
  ),
  broadcasts: table(
    'broadcast',
    'id',
    'channel_id, template_name, language, status, total, pending_count, sent_count, completed_at',
    `'ch', 'x', 'en', 'completed', 1, 0, 1, ${AT}`,
    { prefix: 'brd_' },
  ),
  media: media(LATER, { unswept: 'expires_at > now()' }),
  tool_calls: tool_call,
  assistant_test_runs: test_run,
  audit,
  deleted_documents: document,
  events: byDay(
    'event',
    'evt_',
    (id) => `insert into event select ${id}, project, 'x', '{}', '{wh_1}', ${AT}::timestamptz`,
  ),
  deliveries: delivery,
}

const none = { remove: async () => {} } as unknown as BlobStore

/** Rows that are deleted for all projects at once. */
const LEFTOVERS: Record<string, [Table, () => Promise<unknown>]> = {
  'answers of requests': [
    plain(
      'idempotency',
      'project_id, route, key, body_hash, status, created_at',
      (project) => `'${project}', 'r', n, 'x', 200, ${AT}`,
      'project_id',
    ),
    () => forgetAnswers(database),
  ],
  'early statuses': [
    plain(
      'early_status',
      'channel_id, provider_message_id, status, at, created_at',
      (project) => `'${project}', n, 'sent', ${AT}, ${AT}`,
      'channel_id',
    ),
    () => forgetEarlyStatuses(database),
  ],
  'dead letters': [
    plain(
      'dead_letter',
      'partition, address, message, error, parked_at',
      (project) => `0, 'project/${project}', '{}', 'x', ${AT}`,
      'address',
    ),
    () => forgetDeadLetters(database, DAYS),
  ],
  mails: [
    plain(
      'actor_state',
      'address, state',
      (project) => `'mail/${project}' || n, '{"status": "sent", "ended_at": "2020-01-01T00:00:00Z"}'`,
      'address',
    ),
    () => forgetMails(database, DAYS),
  ],
  'bulk actions': [
    table(
      'bulk_action',
      'id',
      'user_id, status, filter, action, total, updated_at',
      `'u', 'completed', '{}', '{}', 0, ${AT}`,
    ),
    () => forgetBulkActions(database, DAYS),
  ],
  'test calls': [tool_call, () => forgetAgentToolCalls(database, DAYS)],
  'test runs': [test_run, () => forgetTestRuns(database)],
  'audit entries': [audit, () => forgetAudit(database, DAYS)],
  'deleted documents': [document, () => forgetKnowledge(database, DAYS)],
  files: [media(AT), () => expireMedia(database, none)],
}

async function left({ table, of }: Table, { _id }: Project): Promise<number> {
  const [row] = await database.execute<{ count: number }>(
    `select count(*)::int as count from ${table} where ${of(_id)}`,
  )
  return row!.count
}

/** Runs `work` while another session holds the rows of a project. */
async function holding(tables: Table[], { _id }: Project, work: () => Promise<unknown>): Promise<void> {
  await database.em().transactional(async (em) => {
    // A session of ours ends after five idle seconds. This one is idle for as long as the work takes.
    await em.execute('set local idle_in_transaction_session_timeout = 0')
    for (const { table, of } of tables) await em.execute(`select 1 from ${table} where ${of(_id)} for update`)
    await work()
  })
}

async function fill(tables: Table[]): Promise<{ held: Project; other: Project }> {
  const held = (await storeTenant(database)).project
  const other = (await storeTenant(database)).project
  for (const { insert } of tables) {
    for (const [{ _id: project, company_id: company }, count] of [
      [held, ENTRIES],
      [other, FEW],
    ] as const)
      await database.execute(insert({ project, company, count }))
  }
  return { held, other }
}

const { project } = await storeTenant(database)
await database.execute(`
  insert into agent_tool (_id, company_id, project_id, name, description, url, method, parameters, timeout_ms)
    values ('tool', '${project.company_id}', '${project._id}', 'x', 'x', 'https://x', 'GET', '[]', 1)`)
await database.execute(`select day_tables_add('${at.toISOString().slice(0, 10)}', current_date)`)

t.test('records of projects with settings of their own', async (t) => {
  const tables = Object.values(KINDS)
  const { held, other } = await fill(tables)
  const days = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, 7]))
  for (const { _id } of [held, other]) await changeRetention(database, _id, days, CONFIGURED)
  const counts = async () =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(KINDS).map(
          async ([kind, one]) => [kind, [await left(one, held), await left(one, other)]] as const,
        ),
      ),
    )
  const all = (count: [number, number]) => Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, count]))
  t.same(await counts(), all([ENTRIES, FEW]))
  await holding(tables, held, () => sweepRetention(database, CONFIGURED))
  t.same(await counts(), all([ENTRIES, 0]), 'those that are held wait')
  await sweepRetention(database, CONFIGURED)
  t.same(await counts(), all([0, 0]))
})

t.test(
  'a project whose records cannot be deleted keeps no other from being swept, and the fault is told',
  async (t) => {
    const { held, other } = await fill([note, tool_call])
    for (const { _id } of [held, other]) await changeRetention(database, _id, { notes: 7, tool_calls: 7 }, CONFIGURED)
    await database.execute(`
    create function refuse() returns trigger language plpgsql as $$ begin
      if old.project_id = '${held._id}' then raise exception 'refused by a trigger'; end if;
      return old; end $$;
    create trigger refuse before delete on note for each row execute function refuse()`)
    await t.rejects(sweepRetention(database, CONFIGURED), /refused by a trigger/)
    t.same([await left(note, held), await left(note, other)], [ENTRIES, 0])
    t.same([await left(tool_call, held), await left(tool_call, other)], [0, 0], 'nor another kind of its own')
    await database.execute('drop function refuse cascade')
    await sweepRetention(database, CONFIGURED)
    t.equal(await left(note, held), 0)
  },
)

t.test('a delivery stays whole while one of its attempts is held', async (t) => {
  const { held, other } = await fill([delivery])
  for (const { _id } of [held, other]) await changeRetention(database, _id, { deliveries: 7 }, CONFIGURED)
  const attempts: Table = {
    ...delivery,
    table: 'attempt',
    of: (project) => `delivery_id in (select id from delivery where project_id = '${project}')`,
  }
  await holding([attempts], held, () => sweepRetention(database, CONFIGURED))
  for (const one of [delivery, attempts])
    t.same([await left(one, held), await left(one, other)], [ENTRIES, 0], one.table)
  await sweepRetention(database, CONFIGURED)
  t.same(await database.execute('select from attempt union all select from delivery'), [])
})

for (const [what, [one, sweep]] of Object.entries(LEFTOVERS)) {
  t.test(what, async (t) => {
    const { held, other } = await fill([one])
    await holding([one], held, sweep)
    t.same([await left(one, held), await left(one, other)], [ENTRIES, 0])
    await sweep()
    t.same([await left(one, held), await left(one, other)], [0, 0])
  })
}
