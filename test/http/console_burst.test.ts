/** The list of the inbox and the board while many people write at once: rows are whole, and requests are few. */
import { join } from 'node:path'
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { PASSWORD, signIn } from '../e2e/console_client.ts'
import { joinWorld, made } from '../e2e/fixture.ts'
import { officeIn, openTab } from './console_tab.ts'

const pages = join(import.meta.dirname, '../../http/console/page')
const load = (name: string): Promise<Json> => import(join(pages, name))
const { Board } = await load('board/board.ts')
const { Inbox } = await load('inbox/inbox.ts')
const { InboxList } = await load('inbox/inbox_list.ts')
const { Records } = await load('data/records.ts')

const office = await officeIn(await joinWorld(t))
const { world, tenant, agent } = office

const PEOPLE = 120
const phone = (n: number) => `+1555020${String(1000 + n)}`
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n)

t.test('new people who write at once have whole rows, made of few requests', async (t) => {
  const { tab, store, isLive } = openTab(t, office)
  await store.signIn(agent.email, PASSWORD)
  await isLive()
  const project = tab.core.project.value
  const inbox = project.part('inbox', () => new Inbox(project))
  inbox.show({ view: 'all' }, undefined)
  const list = inbox.list.value
  await eventually('the list is read', () => list.state.value === 'ready')
  const isRead = (request: string) => /\/inbox$/.test(request)
  const before = tab.requests.filter(isRead).length
  await Promise.all(upTo(PEOPLE).map((n) => tenant.writes(phone(n), `Text ${n}`)))
  await eventually('all are there', () => list.ids.value.length === PEOPLE)
  const shown = list.ids.value.map((id: string) => list.row(id).value)
  const { call } = await signIn(world, agent)
  const { data } = await made(call('GET', `projects/${tenant.project_id}/inbox?limit=200`))
  const facts = (row: Json) => [
    row.ticket_id,
    row.contact.phone,
    row.contact.user_id,
    row.last_message?.text,
    row.unread_count,
    row.waiting_since,
    row.reply_window_ends_at,
    row.stage?.name,
  ]
  await eventually('definitions are known', () => project.definitions.value)
  const byId = (rows: Json[]) => rows.map(facts).sort(([a], [b]) => (a < b ? -1 : 1))
  t.same(byId(shown), byId(data))
  t.equal(tab.requests.filter(isRead).length, before, 'nothing was read again')
})

const at = (n: number) => new Date(Date.UTC(2026, 10, 21, 10, 0, 0, n)).toISOString()
const row = (n: number, fields: Json = {}): Json => ({
  ticket_id: `t${n}`,
  version: 1,
  is_closed: false,
  contact: { _id: `c${n}`, name: null, phone: `${n}`, user_id: `${n}` },
  last_message: { id: `m${n}`, type: 'text', direction: 'inbound', created_at: at(n), text: `Text ${n}` },
  last_activity_at: at(n),
  waiting_since: at(n),
  snoozed_at: null,
  unread_count: 1,
  assigned_to: null,
  stage: { stage_id: 'a', name: 'New' },
  tags: [],
  priority: null,
  amount: null,
  ...fields,
})

/** A project whose tickets are these rows; each request is counted. */
function projectOf(rows: Json[]) {
  const asked: string[] = []
  const latest = (limit: number, from = 0) => {
    const sorted = rows.toSorted((a, b) => (a.last_activity_at < b.last_activity_at ? 1 : -1))
    const next_cursor = from + limit < rows.length ? String(from + limit) : null
    return { data: sorted.slice(from, from + limit), next_cursor }
  }
  const api = {
    async get(path: string, { limit, cursor }: Json) {
      asked.push(path)
      if (path === 'board/totals') return { data: [] }
      const page = latest(Math.min(limit, 200), Number(cursor ?? 0))
      return path === 'board' ? { columns: [{ stage_id: 'a', ...page }] } : page
    },
  }
  return { api, asked, user: { _id: 'eva' }, definitions: { peek: () => null } }
}

/** The events of a message of somebody whose ticket the page does not have. */
const writes = (n: number): Json[] => [
  { type: 'message.created', data: { id: `n${n}`, chat_user: `c${n}`, partial: true, direction: 'inbound' } },
  { type: 'ticket.updated', data: { _id: `t${n}`, chat_user: `c${n}`, last_activity_at: at(n), partial: true } },
]

for (const moved of [30, 120, 1000]) {
  t.test(`${moved} earlier tickets that come up at once leave no gap`, async (t) => {
    const rows = upTo(2000).map((n) => row(n))
    const project = projectOf(rows)
    const list = new InboxList({ project, filter: { view: 'all' }, isInView: () => false })
    const board = new Board(project, 'p', {})
    t.teardown(() => {
      list.close()
      board.close()
    })
    await list.read()
    await board.read()
    const before = project.asked.length
    const records = new Records()
    for (const n of upTo(moved)) {
      rows[n] = row(n, { last_activity_at: at(5000 + n) })
      const changes = records.hear(writes(n))
      list.hear(changes)
      board.hear([], changes)
    }
    // Rows that were shown all along move as well, above those.
    for (const n of upTo(40)) {
      const to = at(9000 + n)
      rows[1990 - n] = row(1990 - n, { last_activity_at: to })
      const changes = records.hear([
        {
          type: 'ticket.updated',
          data: { _id: `t${1990 - n}`, chat_user: `c${1990 - n}`, last_activity_at: to, partial: true },
        },
      ])
      list.hear(changes)
      board.hear([], changes)
    }
    const isTop = (ids: string[]) => {
      const sorted = rows.toSorted((a, b) => (a.last_activity_at < b.last_activity_at ? 1 : -1))
      return ids.length >= 20 && ids.every((id, place) => sorted[place]!.ticket_id === id)
    }
    await eventually('the list is that of the server', () => isTop(list.ids.value))
    await eventually('the board too', () => isTop(board.columns.value[0].ids.value))
    t.ok(project.asked.length - before <= 6, `${project.asked.length - before} requests`)
  })
}
