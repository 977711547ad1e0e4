/** Tokens and users change state, and both nodes act on it with the next request. */
import t from 'tap'
import { leaked, leakReporter, startSmtp } from '../support/mod.ts'
import { eventually } from './client.ts'
import { startCluster } from './cluster.ts'
import { makeSister, makeTenant } from './fixture.ts'

const reporter = leakReporter('one')
const smtp = await startSmtp(t)
const cluster = await startCluster(t, {
  config: {
    smtp_url: smtp.url,
    mail_from: 'parley@example.com',
    token_mail_to: ['owner', 'security@example.com'],
    secret_scanning_keys: { one: reporter.listed.key },
  },
})
const { nodes, world } = cluster
const [first, second] = [nodes[0]!, nodes[1]!]

const report = (node: (typeof nodes)[number], matches: object[]) =>
  cluster.http('POST', `${node.base_url}/secret-scanning/alerts`, reporter.report(matches))

/** Statuses of a read and a write with the token, at each node. */
async function tried(token: string): Promise<number[]> {
  const send = { channel: 'whatsapp', to: '+15550180000', message: { type: 'text', body: 'Hello' } }
  const answers = await Promise.all(
    nodes.flatMap((node) => [node.call(token, 'GET', 'me'), node.call(token, 'POST', 'messages', send)]),
  )
  return answers.map(({ status }) => status)
}

t.test(
  'tokens of several projects that are reported as public stop at every node, and their owners are told once',
  async (t) => {
    const one = await makeTenant(world)
    const other = await makeTenant(world)
    const sister = await makeSister(world, one)
    const tenants = [one, other, sister]
    for (const { token } of tenants) t.same(await tried(token), [200, 202, 200, 202])
    const matches = [...tenants, one].map(({ token }, n) => leaked(token, `https://github.com/acme/shop/blob/${n}`))
    const answers = await Promise.all([report(first, matches), report(second, matches), report(first, matches)])
    for (const { status, body } of answers) {
      t.equal(status, 200)
      t.same(new Set(body.map(({ label }: { label: string }) => label)), new Set(['true_positive']))
    }
    for (const { token } of tenants) t.same(await tried(token), [401, 401, 401, 401])
    const { body } = await world.operator('GET', `tokens/${one.token_id}`)
    t.match(body, { status: 'revoked', revoked_at: /Z$/ })
    await eventually('each owner and the second recipient have a mail', () => smtp.mails.length >= 6)
    const about = (id: string) => smtp.mails.filter((mail) => mail.text.includes(id))
    for (const { token_id, token } of tenants) {
      const mails = about(token_id)
      t.equal(mails.length, 2, 'one for each recipient')
      t.same(new Set(mails.map(({ to }) => to.length)), new Set([1]))
      t.ok(mails.some(({ to }) => to[0] === 'security@example.com'))
      t.ok(mails.some(({ to }) => to[0]!.startsWith('owner-')))
      t.notOk(
        mails.some(({ text }) => text.includes(token)),
        'the token itself is in no mail',
      )
    }
    t.match(about(one.token_id)[0]!.text, /blob\/0 \(commit\).*blob\/3 \(commit\)/s, 'every place is named')
  },
)

t.test('a token that is revoked already is labelled, and its owner gets no mail', async (t) => {
  const { token, token_id } = await makeTenant(world)
  await world.operator('DELETE', `tokens/${token_id}`)
  const before = (await world.operator('GET', `tokens/${token_id}`)).body
  t.match((await report(second, [leaked(token)])).body, [{ label: 'true_positive' }])
  t.same((await world.operator('GET', `tokens/${token_id}`)).body, before)
  const dry = await makeTenant(world)
  const answer = await cluster.http(
    'POST',
    `${first.base_url}/secret-scanning/alerts?dry_run=true`,
    reporter.report([leaked(dry.token)]),
  )
  t.match(answer.body, [{ label: 'true_positive' }])
  t.same(await tried(dry.token), [200, 202, 200, 202], 'a dry run revokes nothing')
  t.notOk(smtp.mails.some(({ text }) => text.includes(token_id) || text.includes(dry.token_id)))
})
