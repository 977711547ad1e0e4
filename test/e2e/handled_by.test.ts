/** Whose turn a ticket is: shown everywhere alike, filtered by, and never written by a PATCH. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { TEST_SECRET } from '../support/mod.ts'
import type { Json } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'
import { inboxAgent } from './inbox_client.ts'

const world = await joinWorld(t)
const database = await openDatabase({ url: world.config.database_url!, secret: TEST_SECRET, pool_size: 1 })
t.teardown(() => database.close())
const phone = (n: number) => `+1555018300${n}`

t.test('a ticket is handled by who has it, unless somebody took it', async (t) => {
  const tenant = await makeTenant(world)
  const { list } = await inboxAgent(world, tenant)
  const names = async (query: string) => (await list(query)).map((row) => row.contact.user_id.slice(-1))
  for (const n of [1, 2, 3, 4]) await tenant.writes(phone(n), 'Hi')
  const ids = new Map((await list()).map((row) => [Number(row.contact.user_id.slice(-1)), row.ticket_id as string]))
  const get = async (n: number): Promise<Json> => made(tenant.api('GET', `crm/tickets/${ids.get(n)}`))
  const take = (n: number, handler: string) =>
    database.execute(`update ticket set handled_by = '${handler}' where _id = '${ids.get(n)}'`)
  const assign = (n: number, assigned_to: string | null) =>
    made(tenant.api('PATCH', `crm/tickets/${ids.get(n)}`, { assigned_to }))
  t.equal((await get(1)).handled_by, 'nobody')
  t.equal((await assign(2, tenant.user_id)).ticket.handled_by, 'person')
  t.equal((await get(2)).handled_by, 'person')
  await take(3, 'assistant')
  await take(4, 'person')
  const expected = { person: [4, 2], assistant: [3], nobody: [1] }
  for (const [handler, who] of Object.entries(expected)) {
    const page = await made(tenant.api('GET', `crm/tickets?handled_by=${handler}&sort=created_at`))
    t.same(
      page.data.map(({ _id }: Json) => _id),
      who.map((n) => ids.get(n)),
      handler,
    )
    t.equal(page.total, who.length)
    for (const ticket of page.data) t.equal(ticket.handled_by, handler)
    t.same(await names(`?handled_by=${handler}`), who.map(String), `the inbox: ${handler}`)
    for (const row of await list(`?handled_by=${handler}`)) t.equal(row.handled_by, handler)
  }
  t.same(await names('?handled_by=person&view=mine'), [])
  await assign(2, null)
  t.equal((await get(2)).handled_by, 'nobody')
  const refused = await tenant.api('GET', 'crm/tickets?handled_by=robot')
  t.match(refused, { status: 400, body: { error: { details: { violations: [{ path: 'handled_by' }] } } } })
})

t.test('a PATCH does not write it', async (t) => {
  const tenant = await makeTenant(world)
  const { list } = await inboxAgent(world, tenant)
  await tenant.writes(phone(5), 'Hi')
  const [row] = await list()
  const { status, body } = await tenant.api('PATCH', `crm/tickets/${row!.ticket_id}`, { handled_by: 'assistant' })
  t.equal(status, 400)
  t.match(body.error.details.violations, [{ path: 'handled_by', code: 'unknown_property' }])
  t.match(await made(tenant.api('GET', `crm/tickets/${row!.ticket_id}`)), { handled_by: 'nobody', version: 1 })
})
