/** Work at a provider under an idempotency key: two nodes get the request at once, and a node dies during the work. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { eventually, type Json, patiently } from './client.ts'
import { joinCluster } from './cluster.ts'
import { makeTenant, type Outside, type Tenant } from './fixture.ts'
import { startKillable } from './killable.ts'

const survey = (name: string) => ({
  name,
  categories: ['SURVEY'],
  flow_json: { version: '7.0', screens: [] },
})

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })

async function flowsAtProvider(world: Outside, { number }: Tenant): Promise<string[]> {
  const path = `${number.business_account_id}/flows?limit=100`
  const { body } = await world.http('GET', `${world.simulator_url}/v25.0/${path}`, { token: number.access_token })
  return body.data.map(({ name }: Json) => name).filter((name: string) => name !== 'Book a visit')
}

t.test('requests with one key at two nodes are done once', async (t) => {
  const { nodes, world } = await joinCluster(t)
  const tenant = await makeTenant(world)
  await world.control('POST', 'faults', { match: { operation: 'flows' }, latency_ms: 30 })
  const ROUNDS = 5
  for (let round = 0; round < ROUNDS; round++) {
    const ask = (n: number) =>
      nodes[n % 2]!.call(tenant.token, 'POST', 'flows', survey(`Flow ${round}`), keyed(`round ${round}`))
    const answers = await Promise.all(Array.from({ length: 16 }, (_, n) => ask(n)))
    const first = answers.filter(({ status, headers }) => status === 201 && !headers['idempotent-replayed'])
    t.equal(first.length, 1, 'one request is done')
    for (const answer of answers) {
      if (answer.status === 409) t.equal(answer.body.error.code, 'IDEMPOTENCY_IN_PROGRESS')
      else t.same([answer.status, answer.text], [201, first[0]!.text])
    }
    for (const n of [0, 1]) {
      const again = await ask(n)
      t.same([again.status, again.text, again.headers['idempotent-replayed']], [201, first[0]!.text, 'true'])
    }
  }
  const expected = Array.from({ length: ROUNDS }, (_, round) => `Flow ${round}`)
  t.same((await flowsAtProvider(world, tenant)).sort(), expected)
  const { body } = await nodes[1]!.call(tenant.token, 'GET', 'flows')
  t.same(body.data.map(({ name }: Json) => name).sort(), expected)
})

t.test(
  'the key of a node that dies stays in progress for a while, then the next request takes up its work',
  async (t) => {
    // A claim lasts longer than any restart. The test ends it when it has seen it.
    const world = await startKillable(t, { waits: { claim_ms: 3_600_000 } })
    const tenant = await makeTenant(world)
    const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
    t.teardown(() => database.close())
    const ask = () => tenant.api('POST', 'flows', survey('Left'), keyed('left'))
    // The provider makes the draft. Its answer never comes, and the node dies waiting for it.
    await world.control('POST', 'faults', { match: { operation: 'flows', type: 'create' }, hang: 'after', times: 1 })
    const lost = ask().then(
      () => t.fail('the node died before it could answer'),
      () => undefined,
    )
    await eventually('the draft is made', async () => (await flowsAtProvider(world, tenant)).length === 1)
    await world.process().end('SIGKILL')
    await lost
    await world.start()
    const during = await patiently(ask)
    t.same([during.status, during.body.error?.code], [409, 'IDEMPOTENCY_IN_PROGRESS'])
    const ended = await database.execute(
      `update idempotency set body = jsonb_set(body::jsonb, '{claim,until}', '0')::json where key = 'left' returning key`,
    )
    t.equal(ended.length, 1)
    const done = await patiently(ask)
    t.equal(done.status, 201, done.text)
    t.equal(done.headers['idempotent-replayed'], undefined)
    t.same(await flowsAtProvider(world, tenant), ['Left'], 'the draft was taken up')
    const again = await ask()
    t.same([again.status, again.text, again.headers['idempotent-replayed']], [201, done.text, 'true'])
    t.equal((await tenant.api('GET', 'flows')).body.total, 1)
  },
)
