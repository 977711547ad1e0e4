/** Filters that several lists have: ranges of time, the direction of messages, tickets that nobody has. */
import t from 'tap'
import type { Json } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const { api, user_id } = tenant

const list = async (path: string, query: Record<string, string> = {}): Promise<Json[]> =>
  (await made(api('GET', `${path}?${new URLSearchParams({ limit: '200', ...query })}`))).data
const idsOf = (rows: Json[]) => rows.map(({ _id, id }) => _id ?? id)

/** Makes a record of each list: a person who writes has a contact, a ticket and a message. */
let people = 0
async function live(): Promise<void> {
  const phone = `+155573${String(++people).padStart(5, '0')}`
  await tenant.writes(phone, 'Hello')
  const [contact] = await list('contacts', { phone })
  await made(api('POST', 'crm/notes', { content: 'Wrote', chat_user: contact!._id }))
  await made(api('POST', 'crm/events', { event_type: 'payment.confirmed', data: {}, chat_user_id: contact!._id }))
}

const LISTS = ['messages', 'contacts', 'crm/tickets', 'crm/notes', 'crm/events']

t.test('each list of records has those created at or after `since` and before `until`', async (t) => {
  for (let n = 0; n < 4; n++) await live()
  for (const path of LISTS) {
    const all = await list(path)
    t.ok(all.length >= 4, path)
    const times = [...new Set(all.map(({ created_at }) => created_at as string))].sort()
    t.ok(times.length >= 3, 'at different moments')
    const [first, middle, last] = [times[0]!, times[Math.floor(times.length / 2)]!, times.at(-1)!]
    const after = new Date(Date.parse(last) + 1).toISOString()
    const ranges: Record<string, string>[] = [
      { since: middle },
      { until: middle },
      { since: first, until: last },
      { since: first, until: after },
      { since: middle, until: middle },
      { since: after },
      { until: first },
      { since: middle.replace('Z', '+00:00') },
    ]
    for (const range of ranges) {
      const { since = first, until = after } = range
      const [from, to] = [new Date(since).toISOString(), new Date(until).toISOString()]
      const within = all.filter(({ created_at }) => created_at >= from && created_at < to)
      t.same(idsOf(await list(path, range)), idsOf(within), `${path} ${JSON.stringify(range)}`)
    }
    const { data, total, next_cursor } = await made(api('GET', `${path}?limit=1&since=${middle}`))
    const second: Record<string, string> = total === undefined ? { cursor: next_cursor } : { offset: '1' }
    const rest = await list(path, { since: middle, ...second })
    t.same(idsOf([...data, ...rest]), idsOf(await list(path, { since: middle })), `${path}: pages of a range`)
    if (total !== undefined) t.equal(total, data.length + rest.length, 'total is that of the range')
  }
})

t.test('a range goes with the other filters', async (t) => {
  const [message] = await list('messages')
  const { chat_user, created_at: since } = message!
  for (const path of ['messages', 'crm/tickets', 'crm/notes', 'crm/events']) {
    const own = await list(path, { chat_user })
    t.ok(own.length > 0 && own.every((row) => row.chat_user === chat_user), path)
    const { created_at } = own.at(-1)!
    t.same(idsOf(await list(path, { chat_user, since: created_at })), idsOf(own), path)
    t.same(await list(path, { chat_user, until: created_at }), [], path)
  }
  t.same(idsOf(await list('messages', { direction: 'inbound', status: 'received', since })), [message!.id])
})

t.test('messages are listed by their direction', async (t) => {
  const [{ from, chat_user }] = (await list('messages')) as [Json]
  const { id } = await made(tenant.send(from))
  t.same(idsOf(await list('messages', { direction: 'outbound' })), [id])
  const inbound = await list('messages', { direction: 'inbound' })
  t.ok(inbound.length >= 4)
  t.ok(inbound.every(({ direction }) => direction === 'inbound'))
  t.same(idsOf(await list('messages', { direction: 'outbound', chat_user })), [id])
  t.same(await list('messages', { direction: 'outbound', status: 'received' }), [])
})

t.test('tickets that nobody has are listed', async (t) => {
  const [one, ...others] = await list('crm/tickets')
  await made(api('PATCH', `crm/tickets/${one!._id}`, { assigned_to: user_id }))
  t.same(idsOf(await list('crm/tickets', { assigned_to: 'none' })), idsOf(others))
  t.same(idsOf(await list('crm/tickets', { assigned_to: user_id })), [one!._id])
  t.same(idsOf(await list('crm/tickets', { assigned_to: 'none', is_closed: 'true' })), [])
})

t.test('a value that a filter cannot have, and a range that ends before it begins, are refused', async (t) => {
  const reversed = 'since=2026-02-02T00:00:00Z&until=2026-02-01T00:00:00Z'
  const cases: [query: string, path: string][] = LISTS.flatMap((list): [string, string][] => [
    [`${list}?${reversed}`, 'until'],
    [`${list}?since=yesterday`, 'since'],
    [`${list}?until=2026-02-30T00:00:00Z`, 'until'],
    [`${list}?since=2026-02-01`, 'since'],
  ])
  cases.push(['messages?direction=incoming', 'direction'], ['crm/tickets?assigned_to=nobody', 'assigned_to'])
  cases.push(['crm/tickets?assigned_to=', 'assigned_to'])
  for (const [path, name] of cases) {
    const { status, body } = await api('GET', path)
    t.same([status, body.error.details?.violations.map(({ path }: Json) => path)], [400, [name]], path)
  }
})
