/** Consoles and polls that begin to watch while a change is being committed, and changes whose project fails afterwards. */
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import t, { type Test } from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { people, sendBulk } from './broadcast_client.ts'
import { eventually, type Json } from './client.ts'
import { openConsole, signedIn } from './console_socket.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const database = await openDatabase({ url: world.config.database_url!, pool_size: 2 })
t.teardown(() => database.close())
const { cookie } = await signedIn(world, tenant)

/** Lets a commit that needs these rows wait until the result is called. */
async function hold(t: Test, table: string, where: string, values: unknown[]): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: world.config.database_url!, application_name: 'holder' })
  client.on('error', () => {})
  await client.connect()
  let ended: Promise<void> | undefined
  const release = () => {
    ended ??= client.end()
    return ended
  }
  t.teardown(release)
  await client.query('begin')
  await client.query(`select 1 from ${table} where ${where} for update`, values)
  return release
}

/** Resolves when a commit waits for what `hold` holds. */
async function isWaiting(): Promise<void> {
  await eventually('a commit waits', async () => {
    const rows = await database.execute(`select 1 from pg_stat_activity holder join pg_stat_activity waiter
      on holder.pid = any(pg_blocking_pids(waiter.pid))
      where holder.application_name = 'holder' and holder.datname = current_database()`)
    return rows.length > 0
  })
}

const contactOf = (user_id: string): Promise<Json> =>
  made(tenant.api('POST', 'contacts', { channel_type: 'whatsapp', user_id, name: 'Old Name' }))

t.test('a console that begins to watch while a change is being committed hears of it', async (t) => {
  const { _id } = await contactOf('15550170001')
  const release = await hold(t, 'contact', '_id = $1', [_id])
  const changed = made(tenant.api('PATCH', `contacts/${_id}`, { name: 'New Name' }))
  await isWaiting()
  const agent = await openConsole(t, world.base_url, cookie)
  t.match(await agent.ask('watch', { project_id: tenant.project_id }), { resync: false })
  t.not((await made(tenant.api('GET', `contacts/${_id}`))).name, 'New Name', 'it reads the old name')
  await release()
  await changed
  await eventually(
    'a resync or the event',
    () => agent.resyncs() > 0 || agent.events().some(({ data }) => data.name === 'New Name'),
  )
})

t.test('a poll that begins while a delivery is being committed gets it', async (t) => {
  await tenant.writes('+15550170002', 'Hello')
  const { _id } = await eventually('a ticket', async () => (await made(tenant.api('GET', 'crm/tickets'))).data[0])
  const { id } = await made(
    tenant.api('POST', 'webhooks', { name: 'Polled', mode: 'poll', events: ['crm.ticket.updated'] }),
  )
  const release = await hold(t, 'ticket', '_id = $1', [_id])
  const changed = made(tenant.api('PATCH', `crm/tickets/${_id}`, { priority: 'high' }))
  await isWaiting()
  const from = performance.now()
  const polled = made(tenant.api('GET', `webhooks/${id}/poll?wait=25`))
  await eventually('the poll waits', async () => {
    const { text } = await world.http('GET', world.metrics_url())
    return !text.includes('parley_http_limiter_inside{limiter="waits"} 0\n')
  })
  await release()
  await changed
  t.equal((await polled).data.length, 1)
  t.ok(performance.now() - from < 25_000, 'before its wait is over')
})

t.test('the contacts of a broadcast are named though the next turn of their project fails', async (t) => {
  const { _id } = await contactOf('15550170003')
  const agent = await openConsole(t, world.base_url, cookie)
  await agent.ask('watch', { project_id: tenant.project_id })
  const release = await hold(t, 'contact', '_id = $1', [_id])
  const id = await sendBulk(tenant, people(3, 700))
  await eventually('all are read', async () => {
    const [{ read }] = (await database.execute(`select count(*)::int as read from message
      where broadcast_id = '${id}' and status = 'read'`)) as [Json]
    return read === 3
  })
  // The row is held for longer than a commit waits for it, so the turn is undone.
  const changed = made(tenant.api('PATCH', `contacts/${_id}`, { name: 'Newest Name' }))
  await isWaiting()
  await pause(2000)
  await release()
  await changed
  await eventually('its contacts are named', () =>
    agent.events().some(({ type, data }) => type === 'broadcast.messages' && data.chat_users?.length === 3),
  )
})
