/** Work at a provider under an idempotency key, when a node dies during the work. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { eventually, patiently } from './client.ts'
import { makeTenant } from './fixture.ts'
import { flowsAtProvider, keyed, survey } from './flow_drafts.ts'
import { startKillable } from './killable.ts'

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
