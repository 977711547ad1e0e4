/** Recovery of failed deliveries: look at each attempt, send one again, send all of a time again. */
import t from 'tap'
import { eventually, type Json, patiently } from './client.ts'
import { joinWorld, made, makeTenant, type Tenant } from './fixture.ts'
import { callAsProvider } from './provider_call.ts'

const world = await joinWorld(t)
const { sink } = world
const RECEIVED = 'whatsapp.message.received'

async function write(tenant: Tenant, count: number, from = '+15557200001'): Promise<void> {
  for (let i = 0; i < count; i++) await tenant.writes(from, `message ${i}`)
}

function ended(tenant: Tenant, id: string, count: number, query = ''): Promise<Json[]> {
  return eventually(`${count} ended${query}`, async () => {
    const all = await tenant.deliveries(id, query)
    return all.length === count && all.every(({ next_attempt_at }) => next_attempt_at === null) && all
  })
}

t.test('each attempt is on record, with its request, without secrets, and its answer', async (t) => {
  const tenant = await makeTenant(world)
  sink.answer('record', (_, count) => (count === 0 ? 500 : 200))
  const { id } = await tenant.subscribe('record', [RECEIVED], { headers: { 'X-Key': 'a secret' } })
  await write(tenant, 1)
  const [{ id: delivery_id }] = (await ended(tenant, id, 1)) as [Json]
  const { status, body } = await tenant.api('GET', `webhooks/${id}/deliveries/${delivery_id}`)
  t.equal(status, 200)
  t.match(body, { id: delivery_id, status: 'success', attempts: 2 })
  t.match(body.attempt_records, [
    { attempt: 1, status_code: 500, error: 'http_500', excerpt: 'thanks', duration_ms: Number },
    { attempt: 2, status_code: 200, error: null, duration_ms: Number },
  ])
  const [first] = body.attempt_records
  t.ok(Math.abs(Date.parse(first.started_at) - Date.now()) < 60_000)
  t.match(first.headers_sent, { 'X-Key': '[redacted]', 'X-Svc-Attempt': '1', 'X-Svc-Delivery': delivery_id })
  const missing = await tenant.api('GET', `webhooks/${id}/deliveries/dlv_${'0'.repeat(24)}`)
  t.match(missing, { status: 404, body: { error: { code: 'DELIVERY_NOT_FOUND' } } })
  const stranger = await makeTenant(world)
  t.equal((await stranger.api('GET', `webhooks/${id}/deliveries/${delivery_id}`)).status, 404)
})

t.test('deliveries are listed by type and time', async (t) => {
  const tenant = await makeTenant(world)
  const { id } = await tenant.subscribe('filtered', [RECEIVED])
  await write(tenant, 2)
  const all = await ended(tenant, id, 2)
  await tenant.api('POST', `webhooks/${id}/test`, { event_type: 'whatsapp.message.read' })
  await ended(tenant, id, 3)
  const of = async (query: string) => (await tenant.deliveries(id, query)).length
  t.equal(await of(`&event_type=${RECEIVED}`), 2)
  t.equal(await of('&event_type=whatsapp.message.read'), 1)
  t.equal(
    await of(`&since=${all[1]!.created_at}&until=${all[0]!.created_at}`),
    all[0]!.created_at === all[1]!.created_at ? 0 : 1,
  )
  t.equal(await of(`&since=${all[1]!.created_at}`), 3)
  t.equal(await of(`&until=${all[1]!.created_at}`), 0)
  t.equal((await tenant.api('GET', `webhooks/${id}/deliveries?since=yesterday`)).status, 400)
})

t.test('a delivery is sent again on request, with all its attempts before it', async (t) => {
  const tenant = await makeTenant(world)
  let works = false
  sink.answer('again', () => (works ? 200 : 500))
  const { id } = await tenant.subscribe('again', [RECEIVED])
  await write(tenant, 1)
  const [dead] = (await ended(tenant, id, 1)) as [Json]
  t.match(dead, { status: 'dead', attempts: 5 })
  const path = `webhooks/${id}/deliveries/${dead.id}`
  t.match(await tenant.api('POST', `${path}/redeliver`), {
    status: 202,
    body: { accepted: true, delivery_id: dead.id },
  })
  const again = await eventually('five more', async () => {
    const { body } = await tenant.api('GET', path)
    return body.attempts === 10 && body.next_attempt_at === null && body
  })
  t.equal(again.status, 'dead')
  works = true
  await tenant.api('POST', `${path}/redeliver`)
  await eventually('success', async () => (await tenant.api('GET', path)).body.status === 'success')
  await tenant.api('POST', `${path}/redeliver`)
  const twice = await eventually('a success sent again', async () => {
    const { body } = await tenant.api('GET', path)
    return body.attempts === 12 && body
  })
  t.equal(twice.attempt_records.length, 12)
  t.equal(new Set(sink.calls('again').map(({ body }) => body.id)).size, 1, 'the same event')
  await tenant.api('PATCH', `webhooks/${id}`, { is_active: false })
  t.match(await tenant.api('POST', `${path}/redeliver`), { status: 409, body: { error: { code: 'WEBHOOK_INACTIVE' } } })
  const foreign = `webhooks/${id}/deliveries/dlv_${'0'.repeat(24)}/redeliver`
  t.match(await tenant.api('POST', foreign), { status: 404, body: { error: { code: 'DELIVERY_NOT_FOUND' } } })
})

t.test('everything that failed since a time is sent again, once, with progress to look at', async (t) => {
  const tenant = await makeTenant(world)
  let works = false
  sink.answer('recover', () => (works ? 200 : 400))
  const { id } = await tenant.subscribe('recover', [RECEIVED])
  await write(tenant, 3)
  const before = await ended(tenant, id, 3)
  await eventually('a later second', () => Date.now() >= Date.parse(before[0]!.created_at) + 1100)
  const since = new Date().toISOString()
  const COUNT = 450
  for (let i = 0; i < COUNT; i += 50) {
    const said = (n: number) => ({ from: `1555721${1000 + n}`, text: { body: `message ${i + n}` } })
    const messages = Array.from({ length: 50 }, (_, n) => said(n))
    await made(patiently(() => callAsProvider(world, tenant.number, { messages })))
  }
  // There may be more calls: a busy machine may answer one too late, and the call is repeated.
  await eventually('all failed', () => sink.calls('recover').length >= COUNT + 3)
  await eventually('all ended', async () => (await tenant.deliveries(id, '&status=pending')).length === 0)
  works = true
  const { status, body } = await tenant.api('POST', `webhooks/${id}/recover`, { since })
  t.equal(status, 202)
  t.match(body, { accepted: true, since, until: String })
  const done = await eventually('recovered', async () => {
    const { recovery } = (await tenant.api('GET', `webhooks/${id}`)).body
    return recovery?.status === 'completed' && recovery
  })
  t.match(done, { since, total: COUNT, requeued: COUNT, completed_at: String })
  await eventually('all sent', () => sink.calls('recover').length >= 2 * COUNT + 3)
  await eventually('no failure is left since then', async () => {
    return (await tenant.deliveries(id, `&status=failed&since=${since}`)).length === 0
  })
  t.equal((await tenant.deliveries(id, '&status=failed')).length, 3, 'earlier deliveries are left alone')
  const times = new Map<string, number>()
  for (const { body } of sink.calls('recover')) times.set(body.id, (times.get(body.id) ?? 0) + 1)
  const repeated = sink.calls('recover').length - (2 * COUNT + 3)
  t.ok([...times.values()].filter((count) => count === 2).length >= COUNT - repeated, 'each once, but for late answers')
  t.equal((await tenant.api('POST', `webhooks/${id}/recover`, { since: 'today' })).status, 400)
})
