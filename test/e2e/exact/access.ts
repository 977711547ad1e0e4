/** Windows of requests and revoked tokens and keys stay exact from two nodes at once. */
import type { Test } from 'tap'
import { leaked } from '../../support/mod.ts'
import { type Answer, eventually, sleep } from '../client.ts'
import { type ClusterNode, statuses } from '../cluster.ts'
import { made, makeTenant, type Tenant } from '../fixture.ts'
import { atOnce, cluster, database, nodes, pace, reporter, somewhen, text, upTo, world } from './nodes.ts'

let keys = 0

export type Window = { name: 'minute' | 'hour' | 'day'; limit: number }

/** Checks a window on which reads from memory, reads of the database and sends all draw. */
export async function windowIsExact(t: Test, { name, limit }: Window): Promise<void> {
  const limits = { minute: 5000, hour: 5000, day: 5000, [name]: limit }
  const tenant = await makeTenant(world, limits)
  const calls = [
    (node: ClusterNode) => node.call(tenant.token, 'GET', 'me'),
    (node: ClusterNode) => node.call(tenant.token, 'GET', 'messages?limit=1'),
    (node: ClusterNode) =>
      node.call(tenant.token, 'POST', 'messages', { channel: 'whatsapp', to: '+15550180000', message: text('Hello') }),
  ]
  const answers = await atOnce(3 * limit, async (node, n) => {
    await somewhen()
    return calls[Math.floor(n / nodes.length) % calls.length]!(node)
  })
  // A busy machine may refuse a request that it has admitted. The window counts the request all the same.
  const admitted = answers.filter(({ status, headers }) => status !== 429 && headers[`x-ratelimit-limit-${name}`])
  t.equal(admitted.length, limit, `the ${name} lets in its limit`)
  const left = admitted.map(({ headers }) => Number(headers[`x-ratelimit-remaining-${name}`]))
  t.same(
    left.sort((a, b) => a - b),
    upTo(limit),
    `and each of the ${name} is counted once`,
  )
  const messages = await database.execute('select id from message where project_id = ?', [tenant.project_id])
  t.equal(messages.length, statuses(answers)[202] ?? 0, 'refused sends were not done')
}

/**
 * Workers at both nodes never stop asking. Every request that begins after the answer to the revocation is refused.
 */
export async function revocationIsExact(
  t: Test,
  what: string,
  revoke: (tenant: Tenant) => Promise<Answer>,
  success = 204,
): Promise<void> {
  const tenant = await makeTenant(world)
  let revoked = false
  const before: Answer[] = []
  const after: Answer[] = []
  const work = atOnce(12, async (node, n) => {
    for (let late = false; after.length < 60; late = revoked) {
      const write = n % 3 === 0
      const send = { channel: 'whatsapp', to: `+1555018${1000 + n}`, message: text('Hello') }
      const answer = await (write
        ? node.call(tenant.token, 'POST', 'messages', send)
        : node.call(tenant.token, 'GET', n % 3 === 1 ? 'me' : 'messages?limit=1'))
      ;(late ? after : before).push(answer)
    }
  })
  await sleep(pace.spread_ms / 2)
  await eventually('both nodes are busy', () => before.length > 50)
  const { status } = await revoke(tenant)
  revoked = true
  await work
  t.equal(status, success, what)
  t.ok((statuses(before)[200] ?? 0) > 0)
  t.same(Object.keys(statuses(after)), ['401'], `a token ${what} opens nothing at either node`)
}

/** The primary key of `webhook_key`: many subscriptions that want the first key of a project make one. */
export async function signingKeyIsExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const fields = { url: world.sink.url('exact-keys'), events: ['crm.*'], ed25519: true }
  await atOnce(12, async (node, n) => {
    await somewhen()
    return made(() => node.call(tenant.token, 'POST', 'webhooks', { name: `Signed ${n}`, ...fields }))
  })
  const { keys } = await made(cluster.http('GET', `${nodes[1]!.base_url}/v1/projects/${tenant.project_id}/jwks.json`))
  t.equal(keys.length, 1, 'one key of the project')
}

/** `operator_key_name` and `operator_key_hash`: requests that begin after the answer to the revocation are refused. */
export async function operatorKeysAreExact(t: Test): Promise<void> {
  const name = `Key ${++keys}`
  const answers = await atOnce(20, async (node, n) => {
    await somewhen()
    return node.operator('POST', 'operator-keys', { name: n % 2 ? name : name.toUpperCase(), role: 'read' })
  })
  t.same(statuses(answers), { 201: 1, 409: 19 }, 'one key of a name')
  const { key, _id } = answers.find(({ status }) => status === 201)!.body
  const open = (node: ClusterNode) => cluster.http('GET', `${node.base_url}/admin/v1/companies?limit=1`, { token: key })
  t.same(statuses(await atOnce(4, open)), { 200: 4 }, 'both nodes know it at once')
  let revoked = false
  const after: Answer[] = []
  const work = atOnce(6, async (node) => {
    for (let late = false; after.length < 30; late = revoked) {
      const answer = await open(node)
      if (late) after.push(answer)
    }
  })
  t.equal((await world.operator('DELETE', `operator-keys/${_id}`)).status, 204)
  revoked = true
  await work
  t.same(Object.keys(statuses(after)), ['401'], 'a revoked key opens nothing at either node')
}

export const windows: Window[] = [
  { name: 'minute', limit: 60 },
  { name: 'hour', limit: 61 },
  { name: 'day', limit: 62 },
]

export const revocations: [string, (tenant: Tenant) => Promise<Answer>, number?][] = [
  ['revoked by itself', ({ token }) => nodes[0]!.call(token, 'DELETE', 'me/token')],
  ['revoked by the operator', ({ token_id }) => nodes[1]!.operator('DELETE', `tokens/${token_id}`)],
  [
    'found in public',
    ({ token }) =>
      cluster.http('POST', `${nodes[0]!.base_url}/secret-scanning/alerts`, reporter.report([leaked(token)])),
    200,
  ],
  [
    'of a user who was deactivated',
    ({ user_id }) => nodes[0]!.operator('PATCH', `users/${user_id}`, { is_active: false }),
    200,
  ],
]
