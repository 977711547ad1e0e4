import t from 'tap'
import { scopes } from '../../actors/mod.ts'
import { forged } from '../support/mod.ts'
import type { Answer } from './client.ts'
import { joinWorld, makeTenant, type Tenant } from './fixture.ts'

const world = await joinWorld(t)

const count = (answers: Answer[], status: number) => answers.filter((answer) => answer.status === status).length

/** Reads what is left of each window without drawing on it, because a throttled project shows nothing else. */
async function left(tenant: Tenant): Promise<Record<string, number>> {
  const { headers } = await tenant.api('GET', 'me')
  return Object.fromEntries(['minute', 'hour', 'day'].map((n) => [n, Number(headers[`x-ratelimit-remaining-${n}`])]))
}

t.test('a hundred requests at once draw exactly what the window holds', async (t) => {
  const tenant = await makeTenant(world, { minute: 40, hour: 1000, day: 1000 })
  const other = await world.operator('POST', 'tokens', {
    project_id: tenant.project_id,
    user_id: tenant.user_id,
    name: 'Second',
    scopes,
  })
  const calls = [
    (token: string) => tenant.api('GET', 'me', undefined, { token }),
    (token: string) => tenant.api('GET', 'messages', undefined, { token }),
    (token: string) => tenant.send('+15550180000', {}, { token }),
    (token: string) => tenant.api('POST', 'messages', { channel: 'nonsense' }, { token }),
  ]
  const tokens = [tenant.token, other.body.token]
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) => calls[i % calls.length]!(tokens[i % 3 === 0 ? 0 : 1])),
  )
  t.equal(count(answers, 429), 60)
  t.equal(answers.filter(({ status }) => status !== 429).length, 40)
  const admitted = answers.filter(({ status }) => status !== 429)
  const remaining = admitted.map(({ headers }) => Number(headers['x-ratelimit-remaining-minute'])).sort((a, b) => a - b)
  t.same(
    remaining,
    Array.from({ length: 40 }, (_, i) => i),
    'each was counted once',
  )
  for (const { headers } of admitted) {
    const minute = Number(headers['x-ratelimit-remaining-minute'])
    t.equal(Number(headers['x-ratelimit-remaining-hour']), minute + 960, 'refused requests drew on no other window')
    t.equal(headers['x-ratelimit-limit-minute'], '40')
    t.ok(Number(headers['x-ratelimit-reset-minute']) <= 60)
  }
  for (const { status, headers, body } of answers) {
    if (status !== 429) continue
    t.match(body.error, { code: 'THROTTLED', message: /per minute.*resets in \d+ seconds/ })
    t.equal(headers['retry-after'], headers['retry-after-minute'])
    const wait = Number(headers['retry-after'])
    t.ok(wait >= 1 && wait <= 60)
    t.notOk(headers['retry-after-hour'])
  }
  const messages = answers.filter(({ status }) => status === 202).map(({ body }) => body.id)
  t.equal(new Set(messages).size, messages.length)
})

t.test('the tightest window wins, and a refused request draws on none', async (t) => {
  const tenant = await makeTenant(world, { minute: 100, hour: 3, day: 100 })
  t.same(await left(tenant), { minute: 99, hour: 2, day: 99 })
  await left(tenant)
  await left(tenant)
  for (let i = 0; i < 5; i++) {
    const { status, headers, body } = await tenant.api('GET', 'me')
    t.equal(status, 429)
    t.match(headers, {
      'x-ratelimit-remaining-minute': '97',
      'x-ratelimit-remaining-hour': '0',
      'x-ratelimit-remaining-day': '97',
    })
    t.equal(headers['retry-after-hour'], headers['retry-after'])
    t.match(body.error.message, /per hour/)
  }
  const limits = { minute: 100, hour: 10, day: 100 }
  t.equal((await world.operator('PATCH', `projects/${tenant.project_id}`, { limits })).status, 200)
  t.same(await left(tenant), { minute: 96, hour: 6, day: 96 }, 'a higher limit holds at once')
})

t.test('requests with bad tokens, of operators and providers, and for health draw on no window', async (t) => {
  const tenant = await makeTenant(world, { minute: 50, hour: 50, day: 50 })
  t.equal((await left(tenant)).minute, 49)
  await tenant.api('GET', 'me', undefined, { token: forged(tenant.token) })
  await world.operator('GET', `projects/${tenant.project_id}`)
  await tenant.writes('+15557400001', 'Hi')
  await world.http('GET', `${world.base_url}/health`)
  t.equal((await left(tenant)).minute, 48)
})
