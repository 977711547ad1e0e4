/** Invitations to the console: who gets one, what its link does, and when it ends. */
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { startMailServer } from '../actors/providers/email/mail_server.ts'
import { plainQuery } from '../support/mod.ts'
import { eventually } from './client.ts'
import { cookieOf, makeAgent, ownPage, PASSWORD, signIn, trySignIn } from './console_client.ts'
import { made, makeTenant, type OwnWorld, startWorld } from './fixture.ts'

// Nodes of their own: one has a mail server, and all trust the address that a client reports.
const PROXIED = { trusted_proxies: ['127.0.0.0/8'] }
const world = await startWorld(t, { config: PROXIED })
const tenant = await makeTenant(world)
const OWN_PASSWORD = 'chosen by the user'

let addresses = 0
/** A client that nobody else is. */
const from = () => ({ 'x-forwarded-for': `203.0.113.${++addresses}` })

const guest = (fields: object = {}) =>
  made(
    world.operator('POST', 'users', {
      company_id: tenant.company_id,
      full_name: 'Luis Vega',
      email: `luis-${randomUUID()}@example.com`,
      permissions: ['console.agent'],
      ...fields,
    }),
  )
const invite = (user_id: string) => world.operator('POST', `users/${user_id}/invite`)
const secretOf = (url: string): string => /#\/invitation\/([\w-]{43})\?/.exec(url)![1]!
const accept = (token: string, password = OWN_PASSWORD, where: OwnWorld = world) =>
  where.http('POST', `${where.base_url}/console/invitation`, {
    json: { token, password },
    headers: { ...ownPage(where), ...from() },
  })
const query = (sql: string) => plainQuery(world.config.database_url!, sql)
/** As if the last invitation of the user had come an hour ago. */
const later = (user_id: string) =>
  query(`update user_invitation set created_at = created_at - interval '1 hour' where user_id = '${user_id}'`)

t.test('without a mail server the answer has the link, which works once and signs in', async (t) => {
  const user = await guest()
  const before = Date.now()
  const invited = await made(invite(user._id))
  t.match(invited, { user_id: user._id, email: user.email, is_mailed: false, url: String })
  const lasts_h = (Date.parse(invited.expires_at) - before) / 3_600_000
  t.ok(Math.abs(lasts_h - 72) < 0.1, `${lasts_h} hours`)
  const secret = secretOf(invited.url)
  const stored = await query(`select row_to_json(i)::text as text from user_invitation i`)
  t.notOk(JSON.stringify(stored).includes(secret), 'only a hash is stored')

  const answer = await accept(secret)
  t.equal(answer.status, 201, answer.text)
  t.match(answer.body, { user: { _id: user._id, email: user.email }, company: { _id: tenant.company_id } })
  const session = await world.http('GET', `${world.base_url}/console/session`, {
    headers: { cookie: cookieOf(answer) },
  })
  t.equal(session.status, 200)
  t.equal((await trySignIn(world, { email: user.email, password: OWN_PASSWORD }, from())).status, 201)
  t.match(await accept(secret, 'another password'), { status: 404, body: { error: { code: 'INVITATION_NOT_FOUND' } } })
  t.equal((await trySignIn(world, { email: user.email, password: 'another password' }, from())).status, 401)
})

t.test('of two that use one link at once, one sets the password', async (t) => {
  const user = await guest()
  const secret = secretOf((await made(invite(user._id))).url)
  const answers = await Promise.all(['first password', 'second password'].map((one) => accept(secret, one)))
  t.same(answers.map(({ status }) => status).sort(), [201, 404])
})

t.test('every link that does not work is refused alike, and changes nothing', async (t) => {
  const cases: Record<string, (user_id: string, secret: string) => Promise<unknown>> = {
    'a made-up one': async () => {},
    'one whose time is over': (user_id) =>
      query(`update user_invitation set expires_at = now() - interval '1 second' where user_id = '${user_id}'`),
    'one that was replaced': async (user_id) => {
      await later(user_id)
      await made(invite(user_id))
    },
    'one of a user who was given a password': (user_id) =>
      made(world.operator('PATCH', `users/${user_id}`, { password: PASSWORD })),
    'one that went to a former address': (user_id) =>
      made(world.operator('PATCH', `users/${user_id}`, { email: `${randomUUID()}@example.com` })),
    'one of a deactivated user': (user_id) => made(world.operator('PATCH', `users/${user_id}`, { is_active: false })),
    'one of a user who is no agent any more': (user_id) =>
      made(world.operator('PATCH', `users/${user_id}`, { permissions: [] })),
    'one of a user who became an operator, whom only keys may invite': (user_id) =>
      made(world.operator('PATCH', `users/${user_id}`, { permissions: ['console.agent', 'console.operator'] })),
    'one of a deleted user': (user_id) => world.operator('DELETE', `users/${user_id}`),
  }
  const answers = new Set<string>()
  for (const [name, end] of Object.entries(cases)) {
    const user = await guest()
    const secret = name === 'a made-up one' ? 'x'.repeat(43) : secretOf((await made(invite(user._id))).url)
    await end(user._id, secret)
    const { status, text, headers } = await accept(secret)
    t.equal(status, 404, name)
    t.notOk(headers['set-cookie'], name)
    answers.add(text)
    t.equal((await trySignIn(world, { email: user.email, password: OWN_PASSWORD }, from())).status, 401, name)
  }
  t.equal(answers.size, 1, [...answers].join('\n'))
})

t.test('a short password leaves the invitation as it was', async (t) => {
  const user = await guest()
  const secret = secretOf((await made(invite(user._id))).url)
  t.match(await accept(secret, 'short'), { status: 400, body: { error: { code: 'VALIDATION_ERROR' } } })
  t.equal((await accept(secret)).status, 201)
})

t.test('users are invited who can sign in and have no password, and one at a time', async (t) => {
  const cases = [
    [await makeAgent(world, tenant), 409, 'USER_HAS_PASSWORD'],
    [await guest({ is_active: false }), 422, 'USER_INACTIVE'],
    [await guest({ permissions: ['developer.manage_tokens'] }), 422, 'USER_LACKS_PERMISSION'],
    [{ _id: '66f2a0c1d4e5f60718293a4b' }, 404, 'NOT_FOUND'],
  ] as const
  for (const [{ _id }, status, code] of cases) t.match(await invite(_id), { status, body: { error: { code } } }, code)
  t.same(await query(`select * from user_invitation where user_id = '${cases[0][0]._id}'`), [])

  const user = await guest()
  await made(invite(user._id))
  const again = await invite(user._id)
  t.match(again, { status: 429, body: { error: { code: 'INVITATION_THROTTLED' } } })
  const { retry_after } = again.body.error.details
  t.ok(retry_after > 0 && retry_after <= 60, `${retry_after} s`)
  t.equal(again.headers['retry-after'], String(retry_after))
})

t.test('an operator in the console invites users, but no operator', async (t) => {
  const permissions = ['console.agent', 'console.operator']
  const { call } = await signIn(world, await makeAgent(world, tenant, { permissions }), PASSWORD, from())
  const invited = await call('POST', `ops/users/${(await guest())._id}/invite`)
  t.match(invited, { status: 201, body: { is_mailed: false, url: String } })
  const refused = await call('POST', `ops/users/${(await guest({ permissions }))._id}/invite`)
  t.match(refused, { status: 403, body: { error: { code: 'INSUFFICIENT_ROLE' } } })
})

t.test('the audit says who invited whom and who accepted, without the link', async (t) => {
  const user = await guest()
  const secret = secretOf((await made(invite(user._id))).url)
  await accept(secret)
  const { data } = await made(world.operator('GET', `audit?target_id=${user._id}`))
  const entries = data.map(({ action, actor }: { action: string; actor: { kind: string; id: string } }) => [
    action,
    actor.kind,
  ])
  t.same(entries.slice(0, 2), [
    ['accept_invitation', 'user'],
    ['invite_user', 'operator'],
  ])
  const text = JSON.stringify(data)
  t.notOk(text.includes(secret))
  t.match(data[0], { actor: { id: user._id } })
})

t.test('with a mail server the link goes to the user alone', async (t) => {
  const mails = await startMailServer(t)
  const mailed = await startWorld(t, {
    config: { ...PROXIED, smtp_url: mails.url, mail_from: 'Parley <parley@example.com>' },
  })
  const { company_id } = await makeTenant(mailed)
  const user = await made(
    mailed.operator('POST', 'users', {
      company_id,
      full_name: 'Eva Ruiz',
      email: 'eva@example.com',
      permissions: ['console.agent'],
    }),
  )
  const invited = await made(mailed.operator('POST', `users/${user._id}/invite`))
  t.match(invited, { is_mailed: true, url: null, email: 'eva@example.com' })
  const arrived = await eventually('the mail has come', async () => mails.mails[0])
  t.same(arrived.to, ['eva@example.com'])
  const link = /http\S+#\/invitation\/[\w-]{43}\?\S+/.exec(arrived.mail.text!)![0]
  const answer = await accept(secretOf(link), OWN_PASSWORD, mailed)
  t.equal(answer.status, 201, answer.text)
  t.equal(mails.mails.length, 1)
})
