/** Idempotency keys over a restart of the node. */
import t from 'tap'
import { eventually } from './client.ts'
import { makeTenant, startWorld } from './fixture.ts'

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })

t.test('a key is remembered over a restart', async (t) => {
  // The node restarts.
  const world = await startWorld(t)
  const tenant = await makeTenant(world)
  const first = await tenant.send('+15550180000', {}, keyed('kept'))
  await world.restart()
  const again = await eventually('it answers', () => tenant.send('+15550180000', {}, keyed('kept')))
  t.equal(again.headers['idempotent-replayed'], 'true')
  t.equal(again.text, first.text)
  await tenant.message(first.body.id, 'read')
  t.equal((await tenant.sent()).length, 1)
})
