/**
 * Signing in to the console: who may, what others are told, how often anybody may try. One file, because all tests share one
 * cluster, and count the attempts of its addresses.
 */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { startClient } from './client.ts'
import { startCluster, statuses } from './cluster.ts'
import { cookieOf, lightHash, makeAgent, PASSWORD, signIn, trySignIn } from './console_client.ts'
import { makeTenant, OPERATOR_KEY } from './fixture.ts'

const UNAUTHORIZED = '{"message":"Unauthorized","error":"Unauthorized","statusCode":401}'
const PROXIED = { config: { trusted_proxies: ['127.0.0.0/8'] } }

const cluster = await startCluster(t, PROXIED)
const { world } = cluster
const tenant = await makeTenant(world)
const database = await openDatabase({ url: cluster.config.database_url!, pool_size: 2 })
t.teardown(() => database.close())

let addresses = 0
/** A client that nobody else is. */
const from = () => ({ 'x-forwarded-for': `203.0.${++addresses >> 8}.${addresses & 255}` })

t.test('an agent signs in with e-mail and password, whatever the case and the spaces around', async (t) => {
  const agent = await makeAgent(world, tenant, { email: 'Mixed.Case@Example.com', password: PASSWORD })
  const second = await world.operator('POST', 'projects', { company_id: tenant.company_id, name: 'Second' })
  const before = Date.now()
  const answer = await trySignIn(world, { email: ' mixed.CASE@example.com ', password: PASSWORD }, from())
  t.equal(answer.status, 201, answer.text)
  const { expires_at, projects, company, ...rest } = answer.body
  t.same(rest, {
    user: { _id: agent._id, full_name: 'Ana Agent', email: 'Mixed.Case@Example.com', permissions: ['console.agent'] },
  })
  t.match(company, { _id: tenant.company_id, name: String })
  t.same(
    projects.map(({ _id }: { _id: string }) => _id),
    [tenant.project_id, second.body._id],
  )
  const lasts_s = (Date.parse(expires_at) - before) / 1000
  t.ok(Math.abs(lasts_s - 12 * 3600) < 300, `${lasts_s} s`)
  t.match(
    String(answer.headers['set-cookie']),
    /^parley_session=[\w-]{43}; Path=\/console; HttpOnly; SameSite=Strict; Max-Age=604800$/,
  )
  t.equal(answer.headers['cache-control'], 'no-store')
  const { body } = await world.http('GET', `${world.base_url}/console/session`, {
    headers: { cookie: cookieOf(answer) },
  })
  t.same(body, answer.body)
})

t.test('a page of a user who was signed in before does nothing with the cookie of the next one', async (t) => {
  const [ana, eva] = [await makeAgent(world, tenant), await makeAgent(world, tenant)]
  const { call } = await signIn(world, eva, PASSWORD, from())
  const of = (user_id: string) => ({ headers: { 'parley-user': user_id } })
  const path = `projects/${tenant.project_id}/knowledge/nodes`
  const said = { json: { type: 'folder', name: 'Of Ana' } }
  for (const [method, at, more] of [
    ['GET', 'session', {}],
    ['GET', path.replace('nodes', 'tree'), {}],
    ['POST', path, said],
  ] as const) {
    const refused = await call(method, at, { ...more, ...of(ana._id) })
    t.equal(refused.status, 401, `${method} ${at}`)
    t.equal(refused.text, UNAUTHORIZED)
    t.ok((await call(method, at, { ...more, ...of(eva._id) })).status < 300, `${method} ${at}`)
  }
})

t.test('an agent changes the own password by the present one, and stays signed in on this page alone', async (t) => {
  const agent = await makeAgent(world, tenant)
  const [here, elsewhere] = [await signIn(world, agent, PASSWORD, from()), await signIn(world, agent, PASSWORD, from())]
  const change = (current_password: string, new_password: string) =>
    here.call('PUT', 'password', { json: { current_password, new_password }, headers: from() })
  for (const [current, next, path] of [
    [`${PASSWORD}!`, 'a new password', 'current_password'],
    ['', 'a new password', 'current_password'],
    [PASSWORD, 'short', 'new_password'],
  ] as const) {
    const refused = await change(current, next)
    t.equal(refused.status, 400, refused.text)
    t.match(refused.body, { error: { code: 'VALIDATION_ERROR', details: { violations: [{ path }] } } })
  }
  t.equal((await elsewhere.call('GET', 'session')).status, 200, 'a refusal changes nothing')
  t.equal((await change(PASSWORD, 'a new password')).status, 204)
  t.equal((await here.call('GET', 'session')).status, 200)
  t.equal((await elsewhere.call('GET', 'session')).status, 401)
  t.equal((await trySignIn(world, { email: agent.email, password: PASSWORD }, from())).status, 401)
  t.equal((await trySignIn(world, { email: agent.email, password: 'a new password' }, from())).status, 201)
})

t.test('who guesses the present password is limited as at the form', async (t) => {
  const agent = await makeAgent(world, tenant)
  const { call } = await signIn(world, agent, PASSWORD, from())
  const headers = from()
  const json = { current_password: 'a guess', new_password: 'a new password' }
  const answers: number[] = []
  for (let n = 0; n < 6; n++) answers.push((await call('PUT', 'password', { json, headers })).status)
  t.same(answers, [400, 400, 400, 400, 400, 429])
})

t.test('whatever is wrong with a sign-in, the answer is the same', async (t) => {
  const agent = await makeAgent(world, tenant)
  const inactive = await makeAgent(world, tenant, { is_active: false })
  const developer = await makeAgent(world, tenant, { permissions: ['developer.manage_tokens'] })
  const passwordless = await makeAgent(world, tenant, { password: null })
  const causes = {
    'a wrong password': { email: agent.email, password: `${PASSWORD}!` },
    'the password in another case': { email: agent.email, password: PASSWORD.toUpperCase() },
    'an unknown address': { email: 'nobody@example.com', password: PASSWORD },
    'what is no address': { email: "' or true --", password: PASSWORD },
    'an inactive user': { email: inactive.email, password: PASSWORD },
    'a user who is no agent': { email: developer.email, password: PASSWORD },
    'a user without a password': { email: passwordless.email, password: PASSWORD },
  }
  const answers = new Set<string>()
  for (const [cause, credentials] of Object.entries(causes)) {
    const { status, text, headers } = await trySignIn(world, credentials, from())
    t.equal(status, 401, cause)
    t.equal(text, UNAUTHORIZED, cause)
    const { date, 'x-request-id': id, ...rest } = headers
    t.notOk(rest['set-cookie'])
    answers.add(JSON.stringify(rest))
  }
  t.equal(answers.size, 1)
})

t.test('a crowd that signs in is served or sent away, and keeps nobody else out', async (t) => {
  const second = startClient(t)
  // Each check is short, and yet takes longer than a request to arrive.
  const agents = await Promise.all(Array.from({ length: 4 }, () => makeAgent(world, tenant)))
  for (const { _id } of agents) {
    await database.execute(`update "user" set password_hash = ? where _id = ?`, [await lightHash(8192), _id])
  }
  const counted = async () => {
    const [row] = await database.execute<{ count: number }>(
      `select count(*)::int as count from sign_in_window where key like 'both:%'`,
    )
    return row!.count
  }
  const before = await counted()
  const tries = Array.from({ length: 128 }, (_, n) => {
    const http = n % 2 ? second : world.http
    return trySignIn({ ...world, http }, { email: agents[n % 4].email, password: 'wrong' }, from())
  })
  const all = Promise.all(tries)
  for (let n = 0; n < 20; n++) t.equal((await tenant.api('GET', 'me')).status, 200)
  const answers = await all
  const counts = statuses(answers)
  t.ok(counts[401] && counts[503], JSON.stringify(counts))
  t.equal(counts[401]! + counts[503]!, 128)
  t.ok(answers.every(({ status, headers }) => status === 401 || Number(headers['retry-after']) > 0))
  t.equal((await counted()) - before, counts[401], 'who was sent away has not tried')
})

t.test('a sign-in that says nothing to try is told what is wrong with it', async (t) => {
  for (const json of [
    {},
    { email: 'ana@example.com' },
    { email: 1, password: '' },
    { email: 'a', password: 'b', x: 1 },
  ]) {
    const { status, body } = await trySignIn(world, json, from())
    t.equal(status, 400)
    t.equal(body.error.code, 'VALIDATION_ERROR')
  }
})

t.test('without a session there is nobody, and a made-up one is none', async (t) => {
  for (const cookie of ['', 'parley_session=', `parley_session=${'a'.repeat(43)}`, `other=${'a'.repeat(43)}`]) {
    for (const path of ['session', `projects/${tenant.project_id}/messages/bulk`]) {
      const { status, text } = await world.http('GET', `${world.base_url}/console/${path}`, { headers: { cookie } })
      t.same([status, text], [401, UNAUTHORIZED], `${path} ${cookie}`)
    }
  }
  for (const token of [tenant.token, OPERATOR_KEY]) {
    const answer = await world.http('GET', `${world.base_url}/console/session`, { token })
    t.equal(answer.status, 401, 'a token is no session')
  }
  const { cookie } = await signIn(world, await makeAgent(world, tenant), PASSWORD, from())
  const other = await world.http('GET', `${world.base_url}/v1/me`, { headers: { cookie } })
  t.equal(other.status, 401, 'and a session is no token')
})

t.test('the cookie is found among others', async (t) => {
  const { cookie } = await signIn(world, await makeAgent(world, tenant), PASSWORD, from())
  for (const sent of [`a=1; ${cookie}; b=2`, `xparley_session=z; ${cookie}`, `a=1;${cookie}`]) {
    const { status } = await world.http('GET', `${world.base_url}/console/session`, { headers: { cookie: sent } })
    t.equal(status, 200, sent)
  }
})

t.test('signing in again ends the session that the browser had', async (t) => {
  const agent = await makeAgent(world, tenant)
  const first = await signIn(world, agent, PASSWORD, from())
  const elsewhere = await signIn(world, agent, PASSWORD, from())
  const second = await signIn(world, agent, PASSWORD, { ...from(), cookie: first.cookie })
  t.not(second.cookie, first.cookie)
  t.equal((await first.call('GET', 'session')).status, 401)
  t.equal((await second.call('GET', 'session')).status, 200)
  t.equal((await elsewhere.call('GET', 'session')).status, 200, 'that of another browser goes on')
})

t.test('after five failures an address from one client has to wait, and is told how long', async (t) => {
  const agent = await makeAgent(world, tenant)
  const client = from()
  const wrong = () => trySignIn(world, { email: agent.email.toUpperCase(), password: 'wrong' }, client)
  const right = (headers: Record<string, string>) =>
    trySignIn(world, { email: agent.email, password: PASSWORD }, headers)
  t.equal((await right(client)).status, 201)
  for (let n = 0; n < 5; n++) t.equal((await wrong()).status, 401)
  const { status, headers, body } = await right(client)
  t.equal(status, 429, 'the right password changes nothing')
  t.equal(body.error.code, 'SIGN_IN_THROTTLED')
  const { retry_after } = body.error.details
  t.equal(headers['retry-after'], String(retry_after))
  t.ok(retry_after > 14 * 60 && retry_after <= 15 * 60, `${retry_after} s`)
  t.equal((await right(from())).status, 201, 'from elsewhere the owner still comes in')
  const other = await makeAgent(world, tenant)
  t.equal((await trySignIn(world, { email: other.email, password: PASSWORD }, client)).status, 201, 'and so do others')
})

t.test('what succeeds does not count', async (t) => {
  const agent = await makeAgent(world, tenant)
  const client = from()
  for (let n = 0; n < 8; n++) await signIn(world, agent, PASSWORD, client)
  t.equal((await trySignIn(world, { email: agent.email, password: 'wrong' }, client)).status, 401)
})

t.test('an address that is nobody is throttled like one that is somebody', async (t) => {
  const client = from()
  const tries = []
  for (let n = 0; n < 7; n++) {
    tries.push((await trySignIn(world, { email: 'Nobody@Example.com', password: PASSWORD }, client)).status)
  }
  t.same(tries, [401, 401, 401, 401, 401, 429, 429])
})

t.test('the client is the nearest address that is no trusted proxy', async (t) => {
  const { email } = await makeAgent(world, tenant)
  const attempt = async (forwarded: string) =>
    (await trySignIn(world, { email, password: 'wrong' }, { 'x-forwarded-for': forwarded })).status
  const many = async (...forwarded: string[]) => {
    const found = []
    for (const one of forwarded) found.push(await attempt(one))
    return found
  }
  t.same(
    await many(
      '10.9.8.1, 198.51.100.7',
      '10.9.8.2, 198.51.100.7',
      '10.9.8.3, 198.51.100.7, 127.0.0.9',
      '198.51.100.7:4711',
      '::ffff:198.51.100.7',
      '10.9.8.4, 198.51.100.7',
    ),
    [401, 401, 401, 401, 401, 429],
    'what it says of others is its own invention',
  )
  t.same(
    await many('2001:db8:1:2::1', '2001:db8:1:2::2', '[2001:db8:1:2::3]:99', '2001:db8:1:2:a::', '2001:db8:1:2::5'),
    [401, 401, 401, 401, 401],
  )
  t.same(await many('2001:db8:1:2:ffff::1', '2001:db8:1:3::1'), [429, 401], 'an IPv6 network is one client')
})

t.test('a request from another page is refused before anything is looked at', async (t) => {
  const agent = await makeAgent(world, tenant)
  const { cookie, call } = await signIn(world, agent, PASSWORD, from())
  const host = new URL(world.base_url).host
  const foreign: Record<string, string>[] = [
    {},
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: `http://${host}.evil.example` },
    { origin: `http://${host.split(':')[0]}` },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site', origin: world.base_url },
    { 'sec-fetch-site': 'none' },
  ]
  const asks = [
    ['POST', 'session', { email: agent.email, password: PASSWORD }],
    ['DELETE', 'session', undefined],
    ['POST', `projects/${tenant.project_id}/messages/bulk/brd_66f2a0c1d4e5f60718293a4b/cancel`, {}],
  ] as const
  for (const headers of foreign) {
    for (const [method, path, json] of asks) {
      const answer = await world.http(method, `${world.base_url}/console/${path}`, {
        json,
        headers: { cookie, ...headers },
      })
      t.equal(answer.status, 403, `${method} ${path} ${JSON.stringify(headers)}`)
      t.equal(answer.body.error.code, 'ORIGIN_NOT_ALLOWED')
      t.notOk(answer.headers['set-cookie'])
    }
  }
  t.equal((await call('GET', 'session')).status, 200, 'the session is still there')
  const own: Record<string, string>[] = [
    { origin: world.base_url },
    { 'sec-fetch-site': 'same-origin', origin: 'https://proxied.example' },
  ]
  for (const headers of own) {
    const { status } = await world.http('DELETE', `${world.base_url}/console/session`, { headers })
    t.equal(status, 204, JSON.stringify(headers))
  }
})

t.test('of many tries at once on two nodes exactly five passwords are looked at', async (t) => {
  const { http, nodes } = cluster
  const client = from()
  const { email } = await makeAgent(world, tenant)
  const tries = Array.from({ length: 24 }, (_, n) =>
    trySignIn({ http, base_url: nodes[n % 2]!.base_url }, { email, password: 'wrong' }, client),
  )
  const { 401: wrong = 0, 429: refused, 503: late = 0, ...others } = statuses(await Promise.all(tries))
  // A busy node may give up one that it has counted.
  t.same([wrong + late, refused, others], [5, 19, {}])
})
