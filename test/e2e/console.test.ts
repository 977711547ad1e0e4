/** Agents at work: they get the answers of the API, of their own company alone, and only while their session lasts. */
import { connect } from '@nats-io/transport-node'
import t from 'tap'
import { SESSION_OVER } from '../../http/server/auth/session_over.ts'
import { natsOptions } from '../../runtime/servers/nats_options.ts'
import { openDatabase } from '../../storage/mod.ts'
import type { Owner } from '../support/mod.ts'
import { broadcastWhen, people, sendBulk } from './broadcast_client.ts'
import { eventually, type Json } from './client.ts'
import { type Console, makeAgent, ownPage, PASSWORD, signIn, trySignIn } from './console_client.ts'
import { joinWorld, made, makeTenant, subjectsOf, type Tenant } from './fixture.ts'

const world = await joinWorld(t)
const database = await openDatabase({ url: world.config.database_url!, pool_size: 2 })
t.teardown(() => database.close())

const UNAUTHORIZED = '{"message":"Unauthorized","error":"Unauthorized","statusCode":401}'

const bulk = (tenant: Tenant, rest = '') => `projects/${tenant.project_id}/messages/bulk${rest}`

async function makeConsole(tenant: Tenant): Promise<Console & { agent: Json }> {
  const agent = await makeAgent(world, tenant)
  return { ...(await signIn(world, agent)), agent }
}

/** Returns the hashes of the sessions that were announced as over. */
async function hearSessionsOver(t: Owner): Promise<string[]> {
  const nats = await connect(natsOptions(world.config.nats_url!))
  const subjects = await subjectsOf(world.config)
  t.teardown(() => nats.close())
  const heard: string[] = []
  nats.subscribe(`${subjects}.${SESSION_OVER}`, { callback: (_, message) => void heard.push(message.string()) })
  await nats.flush()
  return heard
}

const sessionsOf = async (user_id: string): Promise<string[]> =>
  (await database.execute<{ hash: string }>('select hash from console_session where user_id = ?', [user_id])).map(
    ({ hash }) => hash,
  )

t.test('an agent gets byte for byte what the API answers', async (t) => {
  const tenant = await makeTenant(world)
  const { call } = await makeConsole(tenant)
  const ids: string[] = []
  for (const campaign_name of ['One', 'Two', 'Three']) {
    ids.push(await sendBulk(tenant, [...people(3), { phone: '+15557654000' }], { campaign_name }))
  }
  for (const id of ids) {
    await broadcastWhen(tenant, id, 'is read', (one) => one.status === 'completed' && one.read_count === 3)
  }
  const reads = [
    '',
    '?limit=2',
    `?limit=1&cursor=${ids[1]}`,
    '?campaign_name=Two',
    '?status=cancelled',
    '?status=nonsense&limit=0',
    '?unknown=1',
    `/${ids[0]}`,
    `/${ids[0]}?unknown=1`,
    '/brd_66f2a0c1d4e5f60718293a4b',
    '/nonsense',
    `/${ids[0]}/recipients`,
    `/${ids[0]}/recipients?status=failed`,
    `/${ids[0]}/recipients?limit=2&cursor=2`,
    '/brd_66f2a0c1d4e5f60718293a4b/recipients',
    `/${ids[0]}/recipients.csv`,
    '/nonsense/recipients.csv',
  ]
  for (const rest of reads) {
    const [own, api] = await Promise.all([call('GET', bulk(tenant, rest)), tenant.api('GET', `messages/bulk${rest}`)])
    t.equal(own.text, api.text, rest)
    t.equal(own.status, api.status, rest)
    for (const name of ['content-type', 'content-disposition', 'accept-ranges']) {
      t.equal(own.headers[name], api.headers[name], `${rest} ${name}`)
    }
  }
  const ranged = { headers: { range: 'bytes=2-20' } }
  const part = await call('GET', bulk(tenant, `/${ids[0]}/recipients.csv`), ranged)
  t.equal(part.status, 206)
  t.equal(part.text.length, 19)
  const head = await call('HEAD', bulk(tenant), { headers: ownPage(world) })
  t.same([head.status, head.text], [200, ''])
  for (const rest of [`/${ids[0]}/cancel`, '/brd_66f2a0c1d4e5f60718293a4b/cancel', '/nonsense/cancel']) {
    const [own, api] = [await call('POST', bulk(tenant, rest)), await tenant.api('POST', `messages/bulk${rest}`)]
    t.same([own.status, own.text], [api.status, api.text], rest)
  }
  const refused = await call('POST', bulk(tenant, `/${ids[0]}/cancel`), { json: { now: true } })
  t.match(refused, { status: 400, body: { error: { code: 'VALIDATION_ERROR' } } })
})

t.test('an agent cancels a bulk send', async (t) => {
  const tenant = await makeTenant(world)
  const { call } = await makeConsole(tenant)
  await world.operator('PATCH', `channels/${tenant.number.channel_id}`, { messages_per_second: 1 })
  const id = await sendBulk(tenant, people(100))
  const { status, body } = await call('POST', bulk(tenant, `/${id}/cancel`))
  t.equal(status, 200)
  t.match(body, { id, status: 'cancelled' })
  const record = await broadcastWhen(tenant, id, 'is settled', ({ pending_count }) => pending_count === 0)
  t.equal(record.status, 'cancelled')
})

t.test('an agent sees nothing of other companies', async (t) => {
  const [own, other] = [await makeTenant(world), await makeTenant(world)]
  const { call } = await makeConsole(own)
  const id = await sendBulk(other, people(2))
  await broadcastWhen(other, id, 'is completed', ({ status }) => status === 'completed')
  const nowhere = { ...other, project_id: '66f2a0c1d4e5f60718293a4b' }
  for (const [method, rest] of [
    ['GET', ''],
    ['GET', '?status=nonsense'],
    ['GET', `/${id}`],
    ['GET', `/${id}/recipients`],
    ['GET', `/${id}/recipients.csv`],
    ['POST', `/${id}/cancel`],
  ] as const) {
    const foreign = await call(method, bulk(other, rest))
    t.match(foreign, { status: 404, body: { error: { code: 'NOT_FOUND' } } }, `${method} ${rest}`)
    t.equal(
      (await call(method, bulk(nowhere, rest))).text,
      foreign.text,
      'the answer is that for a project that does not exist',
    )
    if (rest.length < 30) continue
    const misplaced = await call(method, bulk(own, rest))
    t.match(misplaced, { status: 404, body: { error: { code: 'BROADCAST_NOT_FOUND' } } }, `${method} ${rest}`)
  }
  t.same((await call('GET', bulk(own))).body.data, [])
  for (const project_id of ['nonsense', '%00', '..%2f', "' or 1=1 --", 'x'.repeat(500)]) {
    const { status } = await call('GET', `projects/${encodeURIComponent(project_id)}/messages/bulk`)
    t.equal(status, 404, project_id)
  }
  const second = await made(world.operator('POST', 'projects', { company_id: own.company_id, name: 'Second' }))
  t.equal((await call('GET', bulk({ ...own, project_id: second._id }))).status, 200, 'a new project of the company')
})

t.test('the console draws on no budget of the project', async (t) => {
  const tenant = await makeTenant(world, { minute: 3, hour: 3, day: 3 })
  const { call } = await makeConsole(tenant)
  for (let n = 0; n < 5; n++) {
    const { status, headers } = await call('GET', bulk(tenant))
    t.equal(status, 200)
    t.notOk(headers['x-ratelimit-limit-minute'])
  }
  await call('POST', bulk(tenant, '/brd_66f2a0c1d4e5f60718293a4b/cancel'))
  const answer = await tenant.api('GET', 'messages/bulk')
  t.equal(answer.headers['x-ratelimit-remaining-day'], '2', 'this was the first that counts')
})

const ends = [
  {
    what: 'a sign-out',
    async end({ call }) {
      const { status, headers } = await call('DELETE', 'session')
      t.equal(status, 204)
      const cleared = /^parley_session=; Path=\/console; HttpOnly; SameSite=Strict; Max-Age=0$/
      t.match(String(headers['set-cookie']), cleared)
    },
  },
  {
    what: 'the deactivation of its user',
    end: ({ agent }) => made(world.operator('PATCH', `users/${agent._id}`, { is_active: false })),
  },
  {
    what: 'the loss of the permission',
    end: ({ agent }) =>
      made(world.operator('PATCH', `users/${agent._id}`, { permissions: ['developer.manage_tokens'] })),
  },
  {
    what: 'a new password',
    end: ({ agent }) => made(world.operator('PATCH', `users/${agent._id}`, { password: 'another password' })),
  },
  {
    what: 'the loss of the password',
    end: ({ agent }) => made(world.operator('PATCH', `users/${agent._id}`, { password: null })),
  },
  { what: 'its user', end: ({ agent }) => made(world.operator('DELETE', `users/${agent._id}`)) },
] satisfies { what: string; end(console: Console & { agent: Json }): Promise<unknown> }[]

const employer = await makeTenant(world)

for (const { what, end } of ends) {
  t.test(`a session ends with ${what}, and all nodes learn of it`, async (t) => {
    const tenant = employer
    const [console, bystander] = [await makeConsole(tenant), await makeConsole(tenant)]
    const elsewhere = await signIn(world, console.agent)
    const heard = await hearSessionsOver(t)
    const hashes = await sessionsOf(console.agent._id)
    t.equal(hashes.length, 2)
    await end(console)
    const is_own = what === 'a sign-out'
    for (const path of ['session', bulk(tenant)]) {
      const { status, text } = await console.call('GET', path)
      t.same([status, text], [401, UNAUTHORIZED])
      t.equal((await elsewhere.call('GET', path)).status, is_own ? 200 : 401)
      t.equal((await bystander.call('GET', path)).status, 200, 'the session of somebody else goes on')
    }
    t.equal((await console.call('POST', bulk(tenant, '/brd_66f2a0c1d4e5f60718293a4b/cancel'))).status, 401)
    const left = await sessionsOf(console.agent._id)
    t.equal(left.length, is_own ? 1 : 0)
    const over = hashes.filter((hash) => !left.includes(hash))
    await eventually('it was said of each', () => over.every((hash) => heard.includes(hash)))
    t.same(heard.toSorted(), over.toSorted(), 'no other session is announced as over')
    if (what === 'a new password') {
      t.equal((await trySignIn(world, { email: console.agent.email, password: PASSWORD })).status, 401)
      await signIn(world, console.agent, 'another password')
    }
  })
}

t.test('a change of a user that does not concern signing in ends no session', async (t) => {
  const { call, agent } = await makeConsole(await makeTenant(world))
  const permissions = ['console.agent', 'developer.manage_tokens']
  await made(world.operator('PATCH', `users/${agent._id}`, { full_name: 'Another Name', permissions, is_active: true }))
  const { status, body } = await call('GET', 'session')
  t.equal(status, 200)
  t.equal(body.user.full_name, 'Another Name')
})

t.test('an expired session opens nothing, and a session in use is renewed', async (t) => {
  const tenant = await makeTenant(world)
  const [idle, busy] = [await makeConsole(tenant), await makeConsole(tenant)]
  const age = (agent: Json, hours: number) =>
    database.execute(
      `update console_session set created_at = created_at - interval '${hours} hours',
        used_at = used_at - interval '${hours} hours', expires_at = expires_at - interval '${hours} hours'
        where user_id = ?`,
      [agent._id],
    )
  await age(busy.agent, 11)
  const { body } = await busy.call('GET', 'session')
  await eventually('it is renewed', async () => {
    const { body: later } = await busy.call('GET', 'session')
    return Date.parse(later.expires_at) - Date.parse(body.expires_at) > 10.9 * 3_600_000
  })
  for (const { agent } of [idle, busy]) await age(agent, 11.9)
  t.equal((await busy.call('GET', 'session')).status, 200)
  await age(idle.agent, 0.2)
  t.equal((await idle.call('GET', 'session')).status, 401)
  t.equal((await idle.call('GET', bulk(tenant))).status, 401)
})

t.test('no cache keeps answers of the console, and no table stores the cookie', async (t) => {
  const tenant = await makeTenant(world)
  const { call, cookie, agent } = await makeConsole(tenant)
  for (const path of ['session', bulk(tenant), bulk(tenant, '/nonsense')]) {
    t.equal((await call('GET', path)).headers['cache-control'], 'no-store', path)
  }
  const rows = await database.execute('select * from console_session where user_id = ?', [agent._id])
  t.notMatch(JSON.stringify(rows), cookie.split('=')[1]!)
})
