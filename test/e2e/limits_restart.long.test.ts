/** The windows of the rate limits over a restart of the node. */
import t from 'tap'
import type { Answer } from './client.ts'
import { makeTenant, startWorld, type Tenant } from './fixture.ts'

const count = (answers: Answer[], status: number) => answers.filter((answer) => answer.status === status).length

/** Reads what is left of each window without drawing on it, because a throttled project shows nothing else. */
async function left(tenant: Tenant): Promise<Record<string, number>> {
  const { headers } = await tenant.api('GET', 'me')
  return Object.fromEntries(['minute', 'hour', 'day'].map((n) => [n, Number(headers[`x-ratelimit-remaining-${n}`])]))
}

t.test('windows survive a restart', async (t) => {
  // The node restarts.
  const world = await startWorld(t)
  const tenant = await makeTenant(world, { minute: 1000, hour: 1000, day: 30 })
  for (let i = 0; i < 20; i++) await tenant.api('GET', 'me')
  await world.restart()
  t.equal((await left(tenant)).day, 9)
  const answers = await Promise.all(Array.from({ length: 20 }, () => tenant.api('GET', 'me')))
  t.equal(count(answers, 200), 9)
  t.equal(count(answers, 429), 11)
})
