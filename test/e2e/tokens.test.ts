import t from 'tap'
import { scopes } from '../../actors/mod.ts'
import { eventually } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const UNAUTHORIZED = { message: 'Unauthorized', error: 'Unauthorized', statusCode: 401 }

const ways = [
  {
    what: 'revoked by itself',
    async end({ api }) {
      t.equal((await api('DELETE', 'me/token')).status, 204)
    },
  },
  { what: 'revoked by the operator', end: ({ token_id }) => world.operator('DELETE', `tokens/${token_id}`) },
  {
    what: 'of a deactivated owner',
    end: ({ user_id }) => world.operator('PATCH', `users/${user_id}`, { is_active: false }),
  },
  {
    what: 'expired',
    async end({ token_id }) {
      const expires_at = new Date(Date.now() + 300).toISOString()
      t.equal((await world.operator('PATCH', `tokens/${token_id}`, { expires_at })).status, 200)
      await eventually('it expires', () => Date.now() > Date.parse(expires_at))
    },
  },
] satisfies { what: string; end(tenant: Awaited<ReturnType<typeof makeTenant>>): Promise<unknown> }[]

for (const { what, end } of ways) {
  t.test(`a token ${what} is refused on the very next request, and nothing else changes`, async (t) => {
    const tenant = await makeTenant(world)
    // The token is known and cached on every path.
    for (const path of ['me', 'messages', 'webhooks']) t.equal((await tenant.api('GET', path)).status, 200)
    t.equal((await tenant.send('+15550180000')).status, 202)
    const second = await world.operator('POST', 'tokens', {
      project_id: tenant.project_id,
      user_id: tenant.user_id,
      name: 'Second',
      scopes,
    })
    await end(tenant)
    const answers = await Promise.all([
      tenant.api('GET', 'me'),
      tenant.api('GET', 'messages'),
      tenant.send('+15550180000'),
      tenant.api('DELETE', 'me/token'),
    ])
    for (const { status, body, headers } of answers) {
      t.equal(status, 401)
      t.same(body, UNAUTHORIZED)
      t.equal(headers['www-authenticate'], 'Bearer')
      t.notOk(headers['x-ratelimit-limit-minute'], 'the refusal tells nothing of the project')
    }
    t.equal((await tenant.sent()).length <= 1, true, 'the refused send did not happen')
    const other = await tenant.api('GET', 'me', undefined, { token: second.body.token })
    t.equal(other.status, what.startsWith('of a deactivated') ? 401 : 200, 'the other token of the same owner')
  })
}

t.test('a deactivated owner who is active again has working tokens again', async (t) => {
  const tenant = await makeTenant(world)
  await world.operator('PATCH', `users/${tenant.user_id}`, { is_active: false })
  t.equal((await tenant.api('GET', 'me')).status, 401)
  await world.operator('PATCH', `users/${tenant.user_id}`, { is_active: true })
  t.equal((await tenant.api('GET', 'me')).status, 200)
})

t.test('no request that begins after a token was revoked is let in, however busy the token is', async (t) => {
  const tenant = await makeTenant(world)
  let revoked = false
  const before: number[] = []
  const after: number[] = []
  const worker = async () => {
    for (let late = false; after.length < 40; late = revoked) {
      const { status } = await tenant.api('GET', after.length % 2 ? 'me' : 'messages')
      if (late) after.push(status)
      else before.push(status)
    }
  }
  const work = Promise.all(Array.from({ length: 8 }, worker))
  await eventually('it is busy', () => before.length > 40)
  await world.operator('DELETE', `tokens/${tenant.token_id}`)
  revoked = true
  await work
  t.ok(before.includes(200))
  t.same(new Set(before.filter((status) => status !== 401)), new Set([200]))
  t.same(new Set(after), new Set([401]))
})

t.test('a changed scope holds for the next request', async (t) => {
  const tenant = await makeTenant(world)
  await world.operator('PATCH', `tokens/${tenant.token_id}`, { scopes: ['messages:read'] })
  const { status, body } = await tenant.send('+15550180000')
  t.equal(status, 403)
  t.match(body.error, {
    code: 'INSUFFICIENT_SCOPE',
    details: { required: ['messages:write'], missing: ['messages:write'] },
  })
  t.equal((await tenant.api('GET', 'messages')).status, 200)
  t.same((await made(tenant.api('GET', 'me'))).scopes, ['messages:read'])
})
