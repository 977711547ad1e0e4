/** A refused sign-in takes as long whatever its cause, so that nobody learns from the time who has an account. */
import t from 'tap'
import { makeAgent, PASSWORD, trySignIn } from './console_client.ts'
import { makeTenant, startWorld } from './fixture.ts'

// A node whose clients are told apart, because each of them may fail only a few times.
const world = await startWorld(t, { config: { trusted_proxies: ['127.0.0.0/8'] } })
const tenant = await makeTenant(world)
let clients = 0

t.test('the time of a refusal does not tell its cause', async (t) => {
  const agent = await makeAgent(world, tenant, { password: PASSWORD })
  const inactive = await makeAgent(world, tenant, { password: PASSWORD, is_active: false })
  const passwordless = await makeAgent(world, tenant, { password: null })
  const timeOf = async (email: string, password: string) => {
    const begun = performance.now()
    await trySignIn(world, { email, password }, { 'x-forwarded-for': `203.0.113.${++clients}` })
    return performance.now() - begun
  }
  const causes: [string, string][] = [
    [agent.email, 'wrong'],
    ['nobody@example.com', PASSWORD],
    [inactive.email, PASSWORD],
    [passwordless.email, PASSWORD],
  ]
  // In turns, so that each cause meets the same load; the shortest of each was held up least.
  const shortest = causes.map(() => Number.POSITIVE_INFINITY)
  const alike = (time: number) => time > shortest[0]! / 2 && time < shortest[0]! * 2
  for (let round = 0; round < 3 || (round < 20 && !shortest.every(alike)); round++) {
    for (const [n, [email, password]] of causes.entries()) {
      shortest[n] = Math.min(shortest[n]!, await timeOf(email, password))
    }
  }
  // Without the work on a password a refusal takes a tenth.
  for (const [n, [email]] of causes.entries()) t.ok(alike(shortest[n]!), `${email}: ${shortest[n]} of ${shortest} ms`)
})
