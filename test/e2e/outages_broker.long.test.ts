/** The broker stops, comes back, and comes back without its data, under load at two nodes. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { privateNats } from '../support/mod.ts'
import { eventually, sleep } from './client.ts'
import { type ClusterNode, startCluster } from './cluster.ts'
import { makeTenant, type Tenant } from './fixture.ts'
import { flood, requestText } from './flood.ts'
import { checkLoad, prepareLoad, runLoad } from './load.ts'

/** Twice the deadline of a request: one that takes longer, on any machine, does not end by its deadline. */
const MAX_MS = 20_000

const nats = await privateNats(t)
const cluster = await startCluster(t, {
  config: {
    nats_url: nats.url,
    nats_prefix: nats.prefix,
    nats_replicas: nats.replicas,
    // The receiver is in this process, which may be too busy to answer many times in a row.
    webhook_schedule: Array.from({ length: 20 }, (_, n) => (n === 0 ? 0 : 0.2)),
  },
  // Longer than the broker is away: no callback can be stored meanwhile where its project belongs to the other node.
  waits: { confirm_ms: 40_000, send_ms: 10_000, webhook_ms: 10_000 },
})
const { nodes, world, config } = cluster
const [near, far] = nodes as [ClusterNode, ClusterNode]
const database = await openDatabase({ url: config.database_url!, pool_size: 1 })
t.teardown(() => database.close())

/** Makes a tenant whose project belongs to this node. */
async function tenantOf(node: ClusterNode): Promise<Tenant> {
  for (;;) {
    const tenant = await makeTenant(world)
    if ((await cluster.ownerOf(`project/${tenant.project_id}`)) === node) return tenant
  }
}

const owners = () => database.execute('select id, owner, epoch::text from partition order by id')
const send = { channel: 'whatsapp', to: '+15550180000', message: { type: 'text', body: 'Meanwhile' } }

async function timed<Result>(work: Promise<Result>): Promise<[Result, number]> {
  const from = performance.now()
  return [await work, performance.now() - from]
}

t.test('without a broker each node goes on with what it owns, and nothing is lost', async (t) => {
  const [ours, theirs] = [await tenantOf(near), await tenantOf(far)]
  await far.call(theirs.token, 'GET', 'me')
  for (const tenant of [ours, theirs]) await prepareLoad(tenant)
  const loads = [ours, theirs].map((tenant) => ({ tenant, load: runLoad(tenant, { pause_ms: 150 }) }))
  const before = await owners()
  await sleep(300)
  await nats.stop()

  const port = Number(new URL(near.base_url).port)
  const ask = requestText('GET', '/v1/me', theirs.token)
  const hanging = flood(t, { port, connections: 400, pause_ms: 200, for_ms: 1500, requests: [ask] })
  const beside = async () => {
    await eventually('hundreds wait for the other node', async () => {
      const text = await near.metrics()
      return Number(/^parley_http_limiter_inside\{[^}]*limiter="far"[^}]*\} (\d+)/m.exec(text)?.[1]) >= 256
    })
    // A node waits this long while many requests wait.
    await sleep(1500)
    return Promise.all([
      timed(near.call(ours.token, 'POST', 'messages', { ...send, to: '+15550180011' })),
      timed(near.call(theirs.token, 'GET', 'me')),
    ])
  }
  const [local, remote, , meanwhile] = await Promise.all([
    Promise.all(
      [
        () => near.call(ours.token, 'POST', 'messages', send),
        () => near.call(ours.token, 'GET', 'me'),
        () => near.call(ours.token, 'GET', 'messages'),
        () => far.call(theirs.token, 'POST', 'messages', send),
      ].map((ask) => ask()),
    ),
    Promise.all(
      [
        () => far.call(ours.token, 'POST', 'messages', send),
        () => far.call(ours.token, 'GET', 'me'),
        () => near.call(theirs.token, 'GET', 'messages'),
        () => near.operator('PATCH', `tokens/${theirs.token_id}`, { name: 'Not now' }),
      ].map((ask) => timed(ask())),
    ),
    // A node that serves what it owns stays ready: no other node is better off.
    eventually('it is noticed', async () => {
      const { status, body } = await cluster.http('GET', `${near.base_url}/ready`)
      const { broker, database, partitions } = body.checks
      return status === 200 && broker === 'not connected' && database === 'ok' && partitions === 'ok'
    }),
    beside(),
  ])
  t.same(
    local.map(({ status }) => status),
    [202, 200, 200, 202],
    'what a node owns goes on',
  )
  for (const [{ status, headers }, ms] of remote) {
    t.equal(status, 503)
    t.match(headers['retry-after'], /^\d+$/)
    t.ok(ms < MAX_MS, `after ${Math.round(ms)} ms`)
  }
  const [[ours_meanwhile, sent_ms], [theirs_meanwhile, refused_ms]] = meanwhile
  t.equal(ours_meanwhile.status, 202, 'hundreds of requests waiting for the other node delay nobody else')
  t.ok(sent_ms < 5000, `after ${Math.round(sent_ms)} ms`)
  t.equal(theirs_meanwhile.status, 503, 'the node lets no more requests wait')
  t.ok(refused_ms < 5000, `after ${Math.round(refused_ms)} ms`)
  const { seen, surprises } = await hanging
  t.same([Object.keys(seen[0]!), surprises], [['503'], []])
  await ours.message(local[0]!.body.id, 'read')
  t.pass('a message leaves and its statuses are written, through the outbox alone')
  t.same(await owners(), before, 'nothing moved')

  await nats.start()
  await eventually('all is well', async () => {
    const answers = await Promise.all([far.call(ours.token, 'GET', 'me'), near.call(theirs.token, 'GET', 'me')])
    return answers.every(({ status }) => status === 200)
  })
  await sleep(300)
  await nats.stop()
  nats.wipe()
  await nats.start()
  await eventually('all is well without the data', async () => {
    const answers = await Promise.all([far.call(ours.token, 'GET', 'me'), near.call(theirs.token, 'GET', 'me')])
    return answers.every(({ status }) => status === 200)
  })
  await sleep(300)
  t.same(await owners(), before, 'nothing moved at any time')
  for (const { load } of loads) await load.stop()
  // The loads count the messages of their tenants, so these are sent beside the loads.
  for (const [n, id] of [local[0]!.body.id, local[3]!.body.id].entries()) {
    loads[n]!.load.sends.push({ id, to: send.to, body: send.message.body })
  }
  loads[0]!.load.sends.push({ id: ours_meanwhile.body.id, to: '+15550180011', body: send.message.body })
  for (const { tenant, load } of loads) await checkLoad(t, world, tenant, load, config.database_url!)
})
