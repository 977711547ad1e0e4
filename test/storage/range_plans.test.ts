/** Lists of a range of time read the rows of the range along their index, in a project with many others. */
import t from 'tap'
import { type Database, listContacts, listCrmEvents, listMessages, listNotes, listTickets } from '../../storage/mod.ts'
import { testDatabase } from '../support/mod.ts'
import { plansOf } from './plans.ts'

const ROWS = 20_000
/** The row `n` is of second 1e9 + 60 n, and its id is made two seconds before or after. */
const own = `lpad(to_hex(1000000000 + 60 * n + n % 5 - 2), 8, '0') || lpad(to_hex(n), 16, '0')`
const at = 'to_timestamp(1000000000 + 60 * n)'
const from = `from generate_series(1, ${ROWS}) n`
const common = `'c', 'project' || n % 100`

const rows = [
  `insert into company (_id, name) values ('c', 'Acme')`,
  `insert into project (_id, company_id, name, limits) select 'project' || n, 'c', 'Support', '{}' from generate_series(0, 99) n`,
  `insert into contact (_id, company_id, project_id, channel_type, user_id, custom_fields, first_seen_at, last_seen_at, created_at)
    select ${own}, ${common}, 'telegram', n, '{}', ${at}, ${at}, ${at} ${from}`,
  `insert into ticket (_id, company_id, project_id, chat_user, is_closed, closed_at, created_at)
    select ${own}, ${common}, ${own}, true, ${at}, ${at} ${from}`,
  `insert into crm_event (_id, company_id, project_id, event_type, data, ticket_id, chat_user, created_at)
    select ${own}, ${common}, 'x', '{}', 't', 'u', ${at} ${from}`,
  `insert into note (_id, company_id, project_id, content, type, chat_user, created_by, created_at)
    select ${own}, ${common}, 'x', 'note', 'u', 'u', ${at} ${from}`,
  `insert into message (id, company_id, project_id, channel, channel_id, direction, chat_user, type, message, status,
      created_at)
    select 'msg_' || ${own}, ${common}, 'telegram', 'x', 'inbound', 'u', 'text', '{}', 'received', ${at} ${from}`,
]

type Range = { since?: string; until?: string }
type List = (database: Database, range: Range) => Promise<{ created_at: Date | string }[]>

const page = { limit: 100, offset: 0 }
const lists: [name: string, index: RegExp, list: List][] = [
  ['messages', /message_project/, async (db, range) => (await listMessages(db, 'project0', range, page)).data as never],
  [
    'messages of a contact',
    /message_(chat_user|project)/,
    async (db, range) => (await listMessages(db, 'project0', { ...range, chat_user: 'u' }, page)).data as never,
  ],
  ['notes', /note_project/, async (db, range) => (await listNotes(db, 'project0', range, page)).data],
  ['events', /crm_event_/, async (db, range) => (await listCrmEvents(db, 'project0', range, page)).data],
  [
    'events of a type',
    /crm_event_type/,
    async (db, range) => (await listCrmEvents(db, 'project0', { ...range, event_type: 'x' }, page)).data,
  ],
  ['contacts', /contact_project/, async (db, range) => (await listContacts(db, 'project0', range, page)).data],
  [
    'tickets',
    /ticket_project/,
    async (db, range) =>
      (await listTickets(db, 'project0', range, { ...page, sort: 'created_at' } as never)).data.map(
        ({ ticket }) => ticket,
      ),
  ],
]

t.test('a range has exactly its rows, and an index is read from one end of it to the other', async (t) => {
  const { database } = await testDatabase(t)
  for (const sql of rows) await database.execute(sql)
  await database.execute('analyze')
  const moment = (n: number, ms = 0) => new Date((1_000_000_000 + 60 * n) * 1000 + ms).toISOString()
  // Every hundredth row is of the project.
  const ranges: [Range, newest: number, count: number][] = [
    [{ since: moment(10_000), until: moment(11_000) }, 10_900, 10],
    [{ since: moment(10_000, 1), until: moment(11_000, 1) }, 11_000, 10],
    [{ since: moment(19_500) }, 20_000, 6],
    [{ until: moment(500) }, 400, 4],
    [{ since: moment(10_000), until: moment(10_000) }, 0, 0],
  ]
  for (const [name, index, list] of lists) {
    for (const [range, newest, count] of ranges) {
      const found = (await list(database, range)).map(({ created_at }) => new Date(created_at).toISOString())
      const expected = Array.from({ length: count }, (_, at) => moment(newest - 100 * at))
      t.same(found, expected, `${name} ${JSON.stringify(range)}`)
    }
    for (const plan of await plansOf(database, (spied) => list(spied, ranges[0]![0]))) {
      t.match(plan, index, name)
      t.match(plan, /Index Cond: .*id\)?(::text)? >= .*id\)?(::text)? < /, name)
      t.notMatch(plan, /Seq Scan on (message|note|crm_event|contact|ticket)\b/, name)
    }
  }
})
