/** The headers of a subscription may hold passwords of its receiver: only those who may change it see their values. */
import t from 'tap'
import { type Answer, eventually } from './client.ts'
import { makeDesk } from './desk.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const headers = { 'X-Auth': 'first-secret', 'X-Tenant': 'blue' }
const hidden = { 'X-Auth': '[redacted]', 'X-Tenant': '[redacted]' }
const { id } = await tenant.subscribe('secret-headers', ['whatsapp.message.received'], { headers })

/** The headers in the list, and of the subscription alone. */
async function seen(ask: (path: string) => Promise<Answer>) {
  const { data } = await made(ask('webhooks'))
  const one = await made(ask(`webhooks/${id}`))
  return [data[0]?.headers, one.headers]
}

t.test('a token reads the values with webhooks:manage only', async (t) => {
  const { user_id, project_id } = tenant
  for (const [scopes, shown] of [
    [['webhooks:read'], hidden],
    [['webhooks:read', 'webhooks:manage'], headers],
  ] as const) {
    const { token } = await made(world.operator('POST', 'tokens', { project_id, user_id, name: 'Reader', scopes }))
    t.strictSame(await seen((path) => tenant.api('GET', path, undefined, { token })), [shown, shown])
  }
})

t.test('an agent reads the values with developer.manage_webhooks only', async (t) => {
  const desk = await makeDesk(world, tenant)
  const look = () => seen((path) => desk.ask('GET', path))
  t.strictSame(await look(), [hidden, hidden])
  const permissions = ['console.agent', 'developer.manage_webhooks']
  await made(world.operator('PATCH', `users/${desk.user_id}`, { permissions }))
  await eventually('the values', async () => JSON.stringify(await look()) === JSON.stringify([headers, headers]))
})

t.test('a value that comes back redacted is kept', async (t) => {
  const patch = { 'x-auth': '[redacted]', 'X-New': 'green' }
  const changed = await tenant.api('PATCH', `webhooks/${id}`, { headers: patch })
  t.strictSame(changed.body.headers, { 'x-auth': 'first-secret', 'X-New': 'green' })
  await tenant.writes('+15557100077', 'Hello')
  const call = await eventually('a call', () => world.sink.calls('secret-headers')[0])
  t.match(call.headers, { 'x-auth': 'first-secret', 'x-new': 'green' })
  t.notOk('x-tenant' in call.headers)
})

t.test('a redacted value without a present one is refused, and nothing is written', async (t) => {
  const without = { 'X-Auth': '[redacted]', 'X-Other': '[redacted]' }
  const url = world.sink.url('refused')
  const created = { name: 'Refused', url, events: ['whatsapp.message.received'], headers: { 'X-Other': '[redacted]' } }
  for (const { status, body } of [
    await tenant.api('PATCH', `webhooks/${id}`, { headers: without, is_active: false }),
    await tenant.api('POST', 'webhooks', created),
  ]) {
    t.equal(status, 400)
    t.match(body.error, { code: 'VALIDATION_ERROR', message: /^headers\.X-Other .*send the value/ })
    t.match(body.error.details.violations, [{ path: 'headers.X-Other', code: 'invalid_value' }])
    t.equal(body.error.details.violations.length, 1)
  }
  const { data } = await made(tenant.api('GET', 'webhooks'))
  t.match(data, [{ id, is_active: true }])
  t.equal(data.length, 1)
})
