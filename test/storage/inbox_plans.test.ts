/** Every filter of the inbox has a bounded cost, in a project with many open tickets among others. */
import t, { type Test } from 'tap'
import {
  type BoardFilter,
  countInbox,
  type Database,
  type InboxFilter,
  type InboxSort,
  listInbox,
  readBoard,
  readBoardTotals,
} from '../../storage/mod.ts'
import { testDatabase } from '../support/mod.ts'
import { statementsOf } from './plans.ts'

/** The documented figures were measured with 100,000. */
const TICKETS = Number(process.env.INBOX_TICKETS ?? 4000)
/** Pages read by filters that no index finds. */
const LOOKED_AT = 60_000
const RARE = 'a'.repeat(24)
/** A piece of a hash: one contact in a hundred has it. */
const PIECE = 'ee4'
const ME = 'user0'
const own = (n: string) => `lpad(to_hex(${n}), 24, '0')`

/** All open tickets are in one project. Rare filters match the tickets that are longest without activity. */
const rows = [
  `insert into company (_id, name) values ('c', 'Acme')`,
  `insert into "user" (_id, company_id, full_name, email)
    select 'user' || n, 'c', 'Ana', n || '@example.com' from generate_series(0, 20) n`,
  `insert into project (_id, company_id, name, limits) select 'project' || n, 'c', 'Support', '{}' from generate_series(0, 1) n`,
  `insert into pipeline (_id, company_id, project_id, name) select 'pipeline' || n, 'c', 'project' || n, 'Sales'
    from generate_series(0, 1) n`,
  `insert into pipeline_stage (_id, pipeline_id, project_id, name, position)
    select 'stage' || n, 'pipeline' || n % 2, 'project' || n % 2, n, n from generate_series(0, 9) n`,
  `insert into contact (_id, company_id, project_id, channel_type, channel_id, user_id, name, custom_fields, windows,
      first_seen_at, last_seen_at)
    select ${own('n')}, 'c', 'project' || n % 2, 'telegram', 'channel' || case when n < 40 then 1 else 0 end, n,
      'Ana María ' || md5(n::text), '{}', jsonb_build_object('x', '2026-11-21T04:04:09.796Z'), now(), now()
    from generate_series(1, ${TICKETS * 2}) n`,
  `insert into ticket (_id, company_id, project_id, chat_user, is_closed, closed_at, priority, tag_ids, stage_id,
      assigned_to, handled_by, amount, amount_currency, created_at)
    select ${own('n')}, 'c', 'project' || n % 2, ${own('n')}, n % 2 = 1 and n % 4 = 1, case when n % 2 = 1 and n % 4 = 1 then now() end,
      case when n < 40 then 'urgent' end, case when n < 40 then array['${RARE}'] else '{}' end,
      'stage' || case when n < 40 then 8 else n % 4 end,
      case when n < 40 then '${ME}' when n % 5 > 0 then 'user' || 1 + n % 20 end,
      case when n < 40 then 'nobody' when n % 7 > 0 then 'assistant' end, case when n % 3 > 0 then n end, 'MXN', now() + n * interval '1 s'
    from generate_series(1, ${TICKETS * 2}) n`,
  `update inbox_entry set inbound_count = 3, waiting_since = last_activity_at where ticket_id >= ${own('100')}`,
  `update inbox_entry set snoozed_at = now() where ticket_id < ${own('60')} and ticket_id > ${own('40')}`,
  `insert into message (id, company_id, project_id, channel, channel_id, direction, chat_user, type, message, status,
      created_at)
    select 'msg_' || ${own('n')}, 'c', 'project' || n % 2, 'telegram', 'x', 'inbound', ${own('n')}, 'text', '{"body":"Hello"}',
      'received', now() + n * interval '1 ms'
    from generate_series(1, ${TICKETS * 2}) n`,
]

type Plan = { 'Shared Hit Blocks': number; 'Shared Read Blocks': number; 'Node Type': string; Plans?: Plan[] }
type Cost = { ms: number; pages: number; is_scan: boolean }

/** The cost of the statement of `read`: the least of some runs. */
async function costOf(database: Database, read: (database: Database) => Promise<unknown>): Promise<Cost> {
  const total = { ms: 0, pages: 0, is_scan: false }
  for (const sql of await statementsOf(database, read)) {
    const costs: Cost[] = []
    for (let run = 0; run < 3; run++) costs.push(await explain(database, sql))
    const least = costs.reduce((one, other) => (other.ms < one.ms ? other : one))
    total.ms += least.ms
    total.pages += least.pages
    total.is_scan ||= least.is_scan
  }
  return total
}

async function explain(database: Database, sql: string): Promise<Cost> {
  type Explained = { Plan: Plan; 'Execution Time': number; 'Planning Time': number }
  const [row] = await database.execute<{ 'QUERY PLAN': Explained[] }>(
    `explain (analyze, buffers, timing off, format json) ${sql}`,
  )
  const { Plan: plan, ...times } = row!['QUERY PLAN'][0]!
  const pages = plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
  const is_scan = /"Seq Scan",[^{}]*"Relation Name":"inbox_entry"/.test(JSON.stringify(plan))
  return { ms: times['Execution Time'] + times['Planning Time'], pages, is_scan }
}

t.test('the first page of every filter reads a bounded number of pages', async (t) => {
  const { database } = await testDatabase(t)
  for (const sql of rows) await database.execute(sql)
  await database.execute(`insert into ticket_read (user_id, ticket_id, project_id, read_count, read_at)
    select '${ME}', ticket_id, project_id, 3, now() from inbox_entry where project_id = 'project0' and ticket_id > ${own('200')}`)
  for (const table of ['contact', 'ticket', 'inbox_entry', 'message', 'ticket_read'])
    await database.execute(`vacuum analyze ${table}`)
  const all: [string, InboxFilter, InboxSort?][] = [
    ['all', {}],
    ['mine', { view: 'mine' }],
    ['unassigned', { view: 'unassigned' }],
    ['assigned to another', { assigned_to: 'user3' }],
    ['closed', { is_closed: true }],
    ['snoozed', { is_snoozed: true }],
    ['a frequent stage', { stage_id: 'stage2' }],
    ['a rare stage', { stage_id: 'stage8' }],
    ['no such stage', { stage_id: 'stage9' }],
    ['a frequent channel', { channel_id: 'channel0' }],
    ['a rare channel', { channel_id: 'channel1' }],
    ['a channel type', { channel_type: 'email' }],
    ['a rare tag', { tag_id: RARE }],
    ['a rare priority', { priority: 'urgent' }],
    ['a rare handler', { handled_by: 'nobody' }],
    ['a frequent handler', { handled_by: 'assistant' }],
    ['unread', { is_unread: true }],
    ['mine and unread', { view: 'mine', is_unread: true }],
    ['unassigned of a rare stage', { view: 'unassigned', stage_id: 'stage8' }],
    ['a frequent text', { search: 'ana' }],
    ['a rare text', { search: PIECE }],
    ['a text that nobody has', { search: 'zzzzz' }],
    ['a short text', { search: 'zz' }],
    ['a rare text of mine', { view: 'mine', search: PIECE }],
    ['waiting', {}, 'waiting'],
    ['waiting of a rare tag', { tag_id: RARE }, 'waiting'],
    ['mine waiting', { view: 'mine' }, 'waiting'],
  ]
  const where = { project_id: 'project0', user_id: ME }
  for (const [name, filter, sort = 'last_activity'] of all) {
    const cost = await costOf(database, (spied) => listInbox(spied, where, filter, { sort, limit: 50 }))
    check(t, name, cost, filter.search || filter.is_unread ? LOOKED_AT : 2500)
  }
  const boards: [string, BoardFilter][] = [
    ['all', {}],
    ['nobody', { assigned_to: null }],
    ['an agent', { assigned_to: ME }],
    ['a rare tag', { tag_id: RARE }],
    ['a rare priority', { priority: 'urgent' }],
    ['a frequent text', { search: 'ana' }],
    ['a rare text', { search: PIECE }],
    ['a short text', { search: 'zz' }],
  ]
  const stages = ['stage0', 'stage2', 'stage8', null]
  for (const [name, filter] of boards) {
    const most = filter.search ? LOOKED_AT : 4000
    check(
      t,
      `board of ${name}`,
      await costOf(database, (spied) => readBoard(spied, where, stages, filter, { limit: 20 })),
      most,
    )
    const totals = await costOf(database, (spied) => readBoardTotals(spied, where, stages, filter))
    check(t, `totals of ${name}`, totals, LOOKED_AT)
  }
  check(t, 'counts', await costOf(database, (spied) => countInbox(spied, where)), LOOKED_AT)
})

function check(t: Test, name: string, { ms, pages, is_scan }: Cost, most: number): void {
  if (process.env.INBOX_TICKETS) console.error(`${name}: ${ms.toFixed(1)} ms, ${pages} pages`)
  t.ok(pages <= most, `${name} reads ${pages} pages`)
  t.notOk(is_scan, `${name} is found by an index`)
}
