/** The monthly cap on marketing: what is over it waits or is refused, and everything else goes on. */
import t from 'tap'
import { broadcastWhen, countsOf, ORDER, people, recipientsOf, sendBulk, sumOf } from './broadcast_client.ts'
import { eventually, type Json } from './client.ts'
import { makeAgent, signIn } from './console_client.ts'
import { made, makeTenant, startWorld, type Tenant } from './fixture.ts'

// Rates are those of all tenants, and one test restarts the node.
const world = await startWorld(t)
const RATE = 0.025
const markets = [{ market: 'North America', marketing: RATE, utility: 5 }]
t.equal((await world.operator('POST', 'rates', { valid_from: '2025-07-01', currency: 'USD', markets })).status, 200)

const MARKETING = { template_name: 'promo_picture', language: 'en_US' }
const variables = { header_image: 'https://example.com/promo.jpg', 1: 'Ana' }
const promo = { type: 'template', name: 'promo_picture', language: 'en_US', variables }
const order = { type: 'template', name: 'order_update', language: 'en_US', variables: { 1: 'Ana', 2: 'A-1' } }

/** Room for `count` messages. */
const cap = ({ project_id }: Tenant, count: number | null) => {
  const monthly_marketing_cap =
    count === null ? null : { amount: Math.round(count * RATE * 1000) / 1000, currency: 'USD' }
  return made(world.operator('PATCH', `projects/${project_id}`, { monthly_marketing_cap }))
}

async function capped(count: number): Promise<Tenant> {
  const tenant = await makeTenant(world)
  await cap(tenant, count)
  return tenant
}

const bulk = (tenant: Tenant, count: number) =>
  sendBulk(
    tenant,
    people(count).map((one) => ({ ...one, variables })),
    MARKETING,
  )

const isPaused = ({ paused_reason }: Json) => paused_reason === 'marketing_cap_reached'

t.test('the sums say what marketing costs in this month against the cap, also to agents', async (t) => {
  const tenant = await makeTenant(world)
  const { call } = await signIn(world, await makeAgent(world, tenant))
  const ask = async (part: Json = {}) => {
    const { status, body } = await call(
      'GET',
      `projects/${tenant.project_id}/messages/costs?${new URLSearchParams(part)}`,
    )
    t.equal(status, 200)
    return body.marketing
  }
  const month = new Date().toISOString().slice(0, 7)
  const none = { month, currency: 'USD', cap: null, spent: 0, reserved: 0, resets_at: /-01T00:00:00.000Z$/ }
  t.match(await ask(), none)
  await cap(tenant, 4)
  await made(tenant.send('+15550230011', { message: promo }))
  const taken = await ask({ since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' })
  t.equal(taken.cap, 4 * RATE)
  t.equal(taken.spent + taken.reserved, RATE, 'reserved, and then spent')
  await eventually('it is charged', async () => (await ask()).spent === RATE)
  t.equal((await ask()).reserved, 0)
  const own = await made(tenant.api('GET', 'messages/costs'))
  t.match(own.marketing, { cap: 4 * RATE, spent: RATE, reserved: 0 })
  const of_project = await made(world.operator('GET', `costs?project_id=${tenant.project_id}`))
  t.same(of_project.marketing, own.marketing)
  t.equal((await made(world.operator('GET', `costs?company_id=${tenant.company_id}`))).marketing, null)
  t.equal((await call('GET', `projects/${tenant.project_id}/messages/costs.csv`)).status, 200)
})

t.test('who has the permission of operators changes the cap in the console, and nobody else', async (t) => {
  const tenant = await makeTenant(world)
  const monthly_marketing_cap = { amount: 7, currency: 'USD' }
  const change = async (permissions: string[]) => {
    const { call } = await signIn(world, await makeAgent(world, tenant, { permissions }))
    return call('PATCH', `ops/projects/${tenant.project_id}`, { json: { monthly_marketing_cap } })
  }
  t.match(await change(['console.agent']), { status: 403, body: { error: { code: 'INSUFFICIENT_PERMISSION' } } })
  t.match((await made(tenant.api('GET', 'messages/costs'))).marketing, { cap: null })
  t.match(await change(['console.agent', 'console.operator']), { status: 200, body: { monthly_marketing_cap } })
  t.match((await made(tenant.api('GET', 'messages/costs'))).marketing, { cap: 7 })
})

t.test('single marketing beyond the cap is refused and writes nothing; all else goes on', async (t) => {
  const tenant = await capped(1)
  const [first, second] = ['+15550230001', '+15550230002']
  const sent = await made(tenant.send(first, { message: promo }))
  const refused = await tenant.send(second, { message: promo })
  t.match(refused, {
    status: 409,
    body: {
      error: {
        code: 'MARKETING_CAP_REACHED',
        details: { monthly_marketing_cap: { amount: RATE, currency: 'USD' }, resumes_at: /-01T00:00:00.000Z$/ },
      },
    },
  })
  t.same((await made(tenant.api('GET', 'contacts?phone=%2B15550230002'))).data, [])
  const raw = {
    to: second,
    type: 'template',
    template: { name: 'promo_picture', language: { code: 'en_US' }, components: [] },
  }
  t.match(await tenant.api('POST', 'messages/raw', { payload: raw }), {
    status: 409,
    body: { error: { code: 'MARKETING_CAP_REACHED' } },
  })
  for (const message of [order, { type: 'text', body: 'Hi' }])
    t.equal((await tenant.send(second, { message })).status, 202)
  t.match(await tenant.message(sent.id, 'read'), { price: { amount: RATE, category: 'marketing' } })
  t.equal((await tenant.send(second, { message: promo })).status, 409, 'also when the price is charged')
  await cap(tenant, 2)
  t.equal((await tenant.send(second, { message: promo })).status, 202, 'raised')
  t.equal((await tenant.send(second, { message: promo })).status, 409)
  await cap(tenant, null)
  t.equal((await tenant.send(second, { message: promo })).status, 202, 'removed')
})

t.test('of a hundred at once, exactly as many are accepted as the cap pays for', async (t) => {
  const tenant = await capped(37)
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) => tenant.send(`+1555024${1000 + i}`, { message: promo })),
  )
  const count = (status: number) => answers.filter((one) => one.status === status).length
  t.same([count(202), count(409)], [37, 63])
  const { totals } = await eventually('all are charged', async () => {
    const costs = await made(tenant.api('GET', 'messages/costs?group_by=category'))
    return costs.totals[0]?.message_count === 37 && costs
  })
  t.same(totals, [{ currency: 'USD', amount: 0.925, message_count: 37, billable_count: 37 }])
})

t.test('a message that fails makes room again', async (t) => {
  const tenant = await capped(1)
  await world.control('POST', 'faults', { match: { recipient: '+15550250001' }, error: { code: 131026 }, times: 1 })
  const { id } = await made(tenant.send('+15550250001', { message: promo }))
  t.match(await tenant.message(id, 'failed'), { price: null })
  t.equal((await tenant.send('+15550250002', { message: promo })).status, 202)
  t.equal((await tenant.send('+15550250003', { message: promo })).status, 409)
})

t.test('a node that starts knows what was spent and reserved', async (t) => {
  const tenant = await capped(3)
  const { id } = await made(tenant.send('+15550260001', { message: promo }))
  await tenant.message(id, 'read')
  await world.control('POST', 'faults', { match: { recipient: '+15550260002' }, statuses: { lose: true }, times: 1 })
  const lost = await made(tenant.send('+15550260002', { message: promo }))
  await tenant.message(lost.id, 'sent')
  await world.restart()
  t.equal((await tenant.send('+15550260003', { message: promo })).status, 202)
  t.equal((await tenant.send('+15550260004', { message: promo })).status, 409)
})

t.test('the message of a person who is erased reserves nothing more', async (t) => {
  const tenant = await capped(1)
  await world.control('POST', 'faults', { match: { recipient: '+15550270001' }, statuses: { lose: true }, times: 1 })
  const lost = await made(tenant.send('+15550270001', { message: promo }))
  await tenant.message(lost.id, 'sent')
  t.equal((await tenant.send('+15550270002', { message: promo })).status, 409)
  const order = { kind: 'contact', id: lost.chat_user, confirm: true }
  const { _id } = await made(world.operator('POST', 'erasures', order))
  await eventually('the erasure has ended', async () => {
    return (await world.operator('GET', `erasures/${_id}`)).body.status === 'done'
  })
  t.equal((await tenant.send('+15550270002', { message: promo })).status, 202)
  t.equal((await tenant.send('+15550270003', { message: promo })).status, 409)
})

t.test('a bulk send of marketing pauses at the cap, and goes on when it is raised', async (t) => {
  const tenant = await capped(130)
  await tenant.subscribe('cap', [
    'messages.broadcast.paused',
    'messages.broadcast.resumed',
    'messages.broadcast.completed',
  ])
  const id = await bulk(tenant, 250)
  const paused = await broadcastWhen(tenant, id, 'is paused', (one) => isPaused(one) && one.read_count === 130)
  t.match(paused, { status: 'sending', total: 250, pending_count: 120, cost: { amount: 3.25, currency: 'USD' } })
  const waiting = await recipientsOf(tenant, id)
  t.same(
    waiting.map(({ index }) => index),
    Array.from({ length: 250 }, (_, index) => index),
  )
  t.equal(waiting.filter(({ status }) => status === 'pending').length, 120)
  t.equal((await tenant.sent()).length, 130)
  const utility = await sendBulk(tenant, people(5), ORDER)
  await broadcastWhen(tenant, utility, 'is completed', ({ status }) => status === 'completed')
  await cap(tenant, 200)
  await broadcastWhen(tenant, id, 'is paused again', (one) => isPaused(one) && one.read_count === 200)
  await cap(tenant, null)
  const done = await broadcastWhen(tenant, id, 'is read', ({ read_count }) => read_count === 250)
  t.match(done, { status: 'completed', paused_reason: null, pending_count: 0, cost: { amount: 6.25, currency: 'USD' } })
  t.equal(new Set((await recipientsOf(tenant, id)).map(({ message_id }) => message_id)).size, 250)
  t.equal((await tenant.sent('&type=template')).length, 255, 'nobody got it twice')
  const { data } = await made(tenant.api('GET', 'messages/costs?group_by=broadcast'))
  t.match(data.at(-1), { group: id, label: 'promo_picture', amount: 6.25, message_count: 250 })
  const types = await eventually('all events', async () => {
    const told = world.sink.calls('cap').map(({ body }) => body.type)
    return told.includes('messages.broadcast.resumed') && told.filter((type) => /paused/.test(type)).length >= 2 && told
  })
  t.match(types[0], /paused$/)
})

t.test('a paused bulk send can be cancelled, and its counts add up', async (t) => {
  const tenant = await capped(2)
  const id = await bulk(tenant, 150)
  await broadcastWhen(tenant, id, 'is paused', (one) => isPaused(one) && one.read_count === 2)
  const cancelled = await made(tenant.api('POST', `messages/bulk/${id}/cancel`))
  t.match(cancelled, { status: 'cancelled', paused_reason: null, failed_count: 148, pending_count: 0 })
  t.equal(sumOf(cancelled), 150, String(countsOf(cancelled)))
  const recipients = await recipientsOf(tenant, id)
  t.equal(recipients.filter(({ error }) => error?.code === 'CANCELLED').length, 148)
})

t.test('a paused bulk send survives its node', async (t) => {
  const tenant = await capped(5)
  const id = await bulk(tenant, 20)
  await broadcastWhen(tenant, id, 'is paused', (one) => isPaused(one) && one.read_count === 5)
  await world.restart()
  t.match(await made(tenant.api('GET', `messages/bulk/${id}`)), {
    paused_reason: 'marketing_cap_reached',
    pending_count: 15,
  })
  await cap(tenant, 20)
  await broadcastWhen(tenant, id, 'is read', ({ read_count, status }) => read_count === 20 && status === 'completed')
  t.equal((await tenant.sent()).length, 20)
})

t.test('a cap that could not be reached is refused', async (t) => {
  const tenant = await makeTenant(world)
  const patch = (monthly_marketing_cap: unknown) =>
    world.operator('PATCH', `projects/${tenant.project_id}`, { monthly_marketing_cap })
  for (const wrong of [
    { amount: 10, currency: 'EUR' },
    { amount: 0, currency: 'USD' },
    { amount: 0.0000001, currency: 'USD' },
    { amount: 10 },
    10,
  ]) {
    t.equal((await patch(wrong)).status, 400, JSON.stringify(wrong))
  }
  t.match(await made(patch({ amount: 10, currency: 'USD' })), {
    monthly_marketing_cap: { amount: 10, currency: 'USD' },
  })
  const euros = { valid_from: '2025-07-01', currency: 'EUR', markets, replaces_all: true }
  t.match(await world.operator('POST', 'rates', euros), {
    status: 400,
    body: { error: { details: { violations: [{ path: 'currency', message: /^must be USD/ }] } } },
  })
  t.equal((await world.operator('GET', 'rates')).body.data[0].currency, 'USD', 'nothing was removed')
})
