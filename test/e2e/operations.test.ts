/** Work at a provider under an idempotency key: two nodes get the request at once. */
import t from 'tap'
import type { Json } from './client.ts'
import { joinCluster } from './cluster.ts'
import { makeTenant } from './fixture.ts'
import { flowsAtProvider, keyed, survey } from './flow_drafts.ts'

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
