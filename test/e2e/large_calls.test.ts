/** A call of a provider with very many entries is stored in turns of a bounded size, and each entry once. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { eventually, type Json } from './client.ts'
import { made, makeTenant, startWorld, type Tenant } from './fixture.ts'
import { callAsProvider } from './provider_call.ts'

// A database of its own: a trigger counts the rows of each transaction.
const world = await startWorld(t)
const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())
await database.execute('create table written (name text, transaction xid8, rows integer)')
await database.execute(`
  create function note_written() returns trigger language plpgsql as $$ begin
    insert into written select tg_argv[0], pg_current_xact_id(), count(*) from added;
    return null;
  end $$`)
for (const name of ['history_part', 'message']) {
  await database.execute(`
    create trigger note_written after insert on ${name} referencing new table as added
    for each statement execute function note_written('${name}')`)
}

const written = async (name: string) => {
  const rows = await database.execute<{ rows: number }>(
    `select sum(rows)::int as rows from written where name = '${name}' group by transaction order by transaction`,
  )
  await database.execute('delete from written')
  return rows.map(({ rows }) => rows)
}

const imported = (tenant: Tenant) =>
  eventually('the history is stored', async () => {
    const { status, body } = await world.operator('GET', `channels/${tenant.number.channel_id}/history`)
    return status === 200 && body.waiting_count === 0 && (body as Json)
  })

const number = (n: number) => String(5_215_550_000_000 + n)
const entries = <One>(count: number, one: (n: number) => One) => Array.from({ length: count }, (_, n) => one(n))

t.test('names of a phone', async (t) => {
  const tenant = await makeTenant(world)
  const contact = (n: number) => ({
    type: 'contact',
    action: 'add',
    contact: { full_name: `P ${n}`, phone_number: number(n) },
  })
  const value = { state_sync: entries(3_500, contact) }
  const call = () => callAsProvider(world, tenant.number, { field: 'smb_app_state_sync', value })
  t.equal((await call()).status, 200)
  t.match(await imported(tenant), { name_count: 3_500, unreadable_count: 0 })
  t.same(await written('history_part'), [3_000, 500])
  t.equal((await call()).status, 200)
  t.match(await imported(tenant), { name_count: 3_500 }, 'a repeat changes nothing')
})

t.test('messages of a person', async (t) => {
  const tenant = await makeTenant(world)
  await written('message')
  const messages = entries(1_050, (n) => ({ from: '15550401000', text: { body: `Text ${n}` } }))
  t.equal((await callAsProvider(world, tenant.number, { messages })).status, 200)
  t.same(await written('message'), [1_000, 50])
  const { data } = await made(tenant.api('GET', 'messages?limit=3'))
  t.same(
    data.map(({ message }: Json) => message.body),
    ['Text 1049', 'Text 1048', 'Text 1047'],
    'in their order',
  )
})

t.test('more parts than any provider sends are refused, and none is stored', async (t) => {
  const tenant = await makeTenant(world)
  const messages = [
    { id: 'wamid.large', from: '15550401000', type: 'text', text: { body: 'Hi' } },
    ...entries(20_000, () => ({})),
  ]
  const { status, text } = await callAsProvider(world, tenant.number, { value: { messages } })
  t.equal(status, 413)
  t.match(text, /at most 20000 messages, statuses and other parts/)
  t.equal((await made(tenant.api('GET', 'messages'))).data.length, 0)
})
