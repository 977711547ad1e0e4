/**
 * Lists with a condition that no index serves. A page passes over a bounded number of rows, so that a value which few
 * rows have does not read the whole history of a project. The rows are written past the API, because sends would take
 * too long.
 */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { TEST_SECRET } from '../support/mod.ts'
import type { Json } from './client.ts'
import { makeTenant, startWorld } from './fixture.ts'

const COUNT = 50_500
/** Rows that one page passes over. */
const PASSED = 50_000

// A node to itself, because a hundred thousand rows would slow the others down.
const world = await startWorld(t)
const tenant = await makeTenant(world)
const { company_id, project_id, number } = tenant
const database = await openDatabase({ url: world.config.database_url!, secret: TEST_SECRET, pool_size: 1 })
t.teardown(() => database.close())

const idOf = (n: number) => `msg_${n.toString(16).padStart(24, '0')}`
await database.execute(`
  insert into message (id, company_id, project_id, channel, channel_id, direction, chat_user, type, message, status,
    created_at, sent_at, read_at)
  select 'msg_' || lpad(to_hex(n), 24, '0'), '${company_id}', '${project_id}',
    case n when 1 then 'telegram' else 'whatsapp' end, '${number.channel_id}', 'outbound', '${project_id}', 'text',
    '{"type":"text","body":"x"}', case when n in (1, ${COUNT}) then 'read' else 'sent' end,
    now() - interval '1 day' + n * interval '1 ms', now(), case when n in (1, ${COUNT}) then now() end
  from generate_series(1, ${COUNT}) n`)

t.test('a page of messages ends where it has passed over many others, and the next one goes on', async (t) => {
  const list = async (query: string) => (await tenant.api('GET', `messages?${query}`)).body
  const ids = ({ data }: Json) => data.map(({ id }: Json) => id)
  const end = idOf(COUNT - PASSED + 1)
  for (const filter of ['channel=telegram', `channel=telegram&status=read&chat_user=${project_id}`]) {
    const first = await list(filter)
    t.same([ids(first), first.next_cursor], [[], end], filter)
    const second = await list(`${filter}&cursor=${first.next_cursor}`)
    t.same([ids(second), second.next_cursor], [[idOf(1)], null], filter)
  }
  const first = await list('status=read')
  t.same([ids(first), first.next_cursor], [[idOf(COUNT)], end])
  const full = await list('status=read&limit=1')
  t.same([ids(full), full.next_cursor], [[idOf(COUNT)], end])
  const common = await list('status=sent&limit=200')
  t.same([common.data.length, common.next_cursor], [200, common.data.at(-1).id])
  const last = await list(`status=sent&limit=200&cursor=${idOf(101)}`)
  t.same([last.data.length, last.next_cursor], [99, null])
})

t.test('the client goes through empty pages', async (t) => {
  const found: string[] = []
  for await (const { id } of tenant.client.messages.list({ channel: 'telegram' })) found.push(id)
  t.same(found, [idOf(1)])
})

t.test('a page of deliveries with an event type ends in the same way', async (t) => {
  const { id: webhook_id } = await tenant.subscribe('scanned', ['crm.note.created'])
  await database.execute(`
    insert into delivery (id, subscription_id, project_id, event_id, event_type, status, created_at)
    select 'dlv_' || lpad(to_hex(extract(epoch from now())::bigint), 8, '0') || lpad(to_hex(n), 16, '0'),
      '${webhook_id}', '${project_id}', 'evt_' || lpad(to_hex(n), 24, '0'),
      case n when 1 then 'crm.note.created' else 'crm.ticket.updated' end, 'success', now()
    from generate_series(1, ${COUNT}) n`)
  const list = async (query: string) => (await tenant.api('GET', `webhooks/${webhook_id}/deliveries?${query}`)).body
  const first = await list('event_type=crm.note.created')
  t.same(first.data, [])
  t.match(first.next_cursor, /^dlv_[0-9a-f]{24}$/)
  const second = await list(`event_type=crm.note.created&cursor=${first.next_cursor}`)
  t.match(second, { data: [{ event_type: 'crm.note.created', status: 'success' }], next_cursor: null })
  t.equal((await list('status=success')).data.length, 50)
  t.same(await list('status=failed'), { data: [], next_cursor: null, has_more: false })
})
