/** A conversation between a visitor and two agents on two nodes, one of which is killed. */
import t from 'tap'
import { chance } from '../faults/chance.ts'
import { freePort, TEST_SECRET, tempDir } from '../support/mod.ts'
import { holdConversation } from './conversation_trouble.ts'
import { makeTenant } from './fixture.ts'
import { type Killable, startKillable } from './killable.ts'

// Processes start slowly on a busy machine.

t.test('kill -9 in a conversation: every page has each message once and in order, as stored', async (t) => {
  const env = () => ({ PARLEY_SECRET: TEST_SECRET })
  const one = await startKillable(t, { env })
  const config = { ...one.config, port: await freePort(), data_dir: tempDir(t) }
  const other = await startKillable(t, { config, env })
  const kill = async (node: Killable) => {
    await node.process().end('SIGKILL')
    await node.start()
  }
  const nodes = [one, other].map((node) => ({ base_url: node.base_url, kill: () => kill(node) }))
  const tenant = await makeTenant(one)
  // The first strike of this seed is a kill.
  const result = await holdConversation({ t, world: one, tenant, nodes, random: chance(1), rounds: 1 })
  t.same(result.findings, [])
  t.ok(result.said > 3)
})
