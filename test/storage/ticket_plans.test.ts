/** Lists of tickets and timelines use an index, in a project with many tickets among others. */
import t from 'tap'
import { listTickets, listTimeline, type TicketFilter } from '../../storage/mod.ts'
import { testDatabase } from '../support/mod.ts'
import { plansOf } from './plans.ts'

const TICKETS = 20_000
const RARE = 'a'.repeat(24)
const own = (n: string) => `lpad(to_hex(${n}), 24, '0')`
const project = (n: string) => `'project' || ${n} % 2`
const common = `'c', ${project('n')}`

/** Each ticket has its own contact. The first ten have most of the records. */
const rows = [
  `insert into company (_id, name) values ('c', 'Acme')`,
  `insert into "user" (_id, company_id, full_name, email)
    select 'user' || n, 'c', 'Ana', n || '@example.com' from generate_series(0, 99) n`,
  `insert into project (_id, company_id, name, limits) select 'project' || n, 'c', 'Support', '{}' from generate_series(0, 1) n`,
  `insert into pipeline (_id, company_id, project_id, name) select 'pipeline' || n, 'c', 'project' || n, 'Sales'
    from generate_series(0, 1) n`,
  `insert into pipeline_stage (_id, pipeline_id, project_id, name, position)
    select 'stage' || n, 'pipeline' || n % 2, 'project' || n % 2, n, n from generate_series(0, 99) n`,
  `insert into contact (_id, company_id, project_id, channel_type, user_id, custom_fields, first_seen_at, last_seen_at)
    select ${own('n')}, ${common}, 'telegram', n, '{}', now(), now() from generate_series(1, ${TICKETS}) n`,
  `insert into ticket (_id, company_id, project_id, chat_user, is_closed, closed_at, priority, tag_ids, stage_id, assigned_to)
    select ${own('n')}, ${common}, ${own('n')}, n % 20 > 1, case when n % 20 > 1 then now() end,
      case when n % 1000 < 2 then 'urgent' end, case when n % 500 < 2 then array['${RARE}'] else '{}' end,
      'stage' || n % 100, case when n % 1000 > 1 then 'user' || n % 100 end
    from generate_series(1, ${TICKETS}) n`,
  `insert into ticket_activity select _id, 1, now() from ticket`,
  `insert into crm_event (_id, company_id, project_id, event_type, data, ticket_id, chat_user, created_at)
    select ${own('n')}, 'c', ${project('n % 10')}, 'x', '{}', ${own('n % 10')}, ${own('n % 10')}, now() + n * interval '1 ms'
    from generate_series(1, ${TICKETS}) n`,
  `insert into note (_id, company_id, project_id, content, type, ticket_id, created_by, created_at)
    select ${own('n')}, 'c', ${project('n % 10')}, 'x', 'note', ${own('n % 10')}, 'u', now() + n * interval '1 ms'
    from generate_series(1, ${TICKETS}) n`,
  `insert into message (id, company_id, project_id, channel, channel_id, direction, chat_user, type, message, status,
      created_at)
    select 'msg_' || ${own('n')}, 'c', ${project('n % 10')}, 'telegram', 'x', 'inbound', ${own('n % 10')}, 'text', '{}',
      'received', now() + n * interval '1 ms'
    from generate_series(1, ${TICKETS}) n`,
]

t.test('each list and each kind on a timeline has its index', async (t) => {
  const { database } = await testDatabase(t)
  for (const sql of rows) await database.execute(sql)
  await database.execute('analyze')
  const page = { limit: 50, offset: 0, sort: 'created_at' } as const
  const lists: [TicketFilter, index: RegExp][] = [
    [{}, /ticket_project /],
    [{ is_closed: false }, /ticket_project_open/],
    [{ stage_id: 'stage6' }, /ticket_stage/],
    [{ stage_id: 'stage6', is_closed: true }, /ticket_stage/],
    [{ assigned_to: 'user6' }, /ticket_assigned/],
    [{ assigned_to: null }, /ticket_unassigned/],
    [{ chat_user: `${'0'.repeat(22)}10` }, /ticket_chat_user/],
    [{ tag_id: RARE }, /ticket_tags/],
    [{ priority: 'urgent' }, /ticket_priority/],
  ]
  for (const [filter, index] of lists) {
    const plans = await plansOf(database, (spied) => listTickets(spied, 'project0', filter, page))
    t.equal(plans.length, 2)
    t.match(plans[0], index, JSON.stringify(filter))
    // The project has half of all tickets, and counting those is faster without an index.
    if (Object.keys(filter).length > 0) t.notMatch(plans[1], /Seq Scan/, 'they are counted along one too')
  }
  for (const with_former of [false, true])
    for (const cursor of [undefined, `${Date.now() + 5000}_${'f'.repeat(24)}`]) {
      const ticket = `${'0'.repeat(23)}2`
      const plans = await plansOf(database, (spied) =>
        listTimeline(spied, 'project0', ticket, { limit: 50, cursor, with_former }),
      )
      for (const index of ['note_timeline', 'crm_event_timeline', 'message_timeline']) {
        const plan = plans.find((one) => one.includes(index))
        t.match(plan, cursor ? /Index Cond: .*ROW\(created_at/ : /Limit/, index)
        // Those of former tickets are sorted into those of the ticket, a page at most of each.
        if (!with_former || index === 'message_timeline') t.notMatch(plan, /Sort/, 'in the order of the page')
        t.notMatch(plan, /Seq Scan on (note|crm_event|message|ticket)/)
      }
    }
})
