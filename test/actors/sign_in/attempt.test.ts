import t from 'tap'
import { beginSignIn, signInActor } from '../../../actors/sign_in/mod.ts'
import type { Node, NodeOptions } from '../../../runtime/mod.ts'
import { eventually } from '../../e2e/client.ts'
import { startNode } from '../../runtime/support/start_node.ts'
import { TurnedClock } from '../../runtime/support/turned_clock.ts'
import { type Owner, testDatabase, testNats } from '../../support/mod.ts'

const MINUTE_MS = 60_000

/** Starts nodes that share the partitions. */
async function start(t: Owner, nodes: Partial<NodeOptions>[] = [{}]) {
  const { database } = await testDatabase(t)
  const nats = await testNats(t)
  const clock = new TurnedClock()
  const started: Node[] = []
  for (const options of nodes) {
    started.push(await startNode(t, { database, nats }, [signInActor()], { clock, ...options }))
  }
  const rows = () => database.execute('select * from sign_in_window')
  return { database, clock, nodes: started, node: started[0]!, rows }
}

/** Resolves to the seconds to wait, or to a function that forgives the attempt. */
async function attempt(node: Node, email: string, address: string) {
  try {
    return await beginSignIn(node, { email, address })
  } catch (error) {
    const { code, details } = error as { code: string; details: { retry_after: number } }
    if (code !== 'SIGN_IN_THROTTLED') throw error
    return details.retry_after
  }
}

const passed = (outcomes: unknown[]) => outcomes.filter((outcome) => typeof outcome !== 'number').length

t.test('exactly as many of the simultaneous tries at two nodes begin as the bound allows', async (t) => {
  const { nodes } = await start(t, [{ take: [0, 1] }, { take: [2, 3] }])
  const tries = (count: number, email: (n: number) => string, address: (n: number) => string) =>
    Promise.all(Array.from({ length: count }, (_, n) => attempt(nodes[n % 2]!, email(n), address(n))))
  const bounds = [
    {
      most: 5,
      outcomes: await tries(
        40,
        () => 'ana@example.com',
        () => '192.0.2.1',
      ),
    },
    {
      most: 50,
      outcomes: await tries(
        80,
        (n) => `${n}@example.com`,
        () => '192.0.2.2',
      ),
    },
    {
      most: 100,
      outcomes: await tries(
        140,
        () => 'eva@example.com',
        (n) => `198.51.100.${n}`,
      ),
    },
  ]
  for (const { most, outcomes } of bounds) t.equal(passed(outcomes), most)
})

t.test('a try counts for a quarter of an hour, and a refusal tells how much of that is left', async (t) => {
  const { node, clock } = await start(t)
  const one = () => attempt(node, 'ana@example.com', '192.0.2.1')
  for (let n = 0; n < 5; n++) {
    t.type(await one(), 'object')
    clock.turn(MINUTE_MS)
  }
  t.equal(await one(), 10 * 60)
  clock.turn(10 * MINUTE_MS - 1)
  t.equal(await one(), 1)
  clock.turn(1)
  t.type(await one(), 'object', 'the first one is forgotten')
  t.equal(await one(), 60, 'the second one is not')
})

t.test('a client refused for one address takes no room elsewhere', async (t) => {
  const { node } = await start(t)
  const own = () => attempt(node, 'ana@example.com', '192.0.2.1')
  for (let n = 0; n < 60; n++) await own()
  t.equal(passed(await Promise.all([...'abcdefgh'].map((name) => attempt(node, name, '192.0.2.1')))), 8)
  t.type(await attempt(node, 'ana@example.com', '192.0.2.9'), 'object', 'a stranger locked out nobody but themselves')
})

t.test('a try beyond a bound is refused, and nothing is written or kept', async (t) => {
  const { node } = await start(t)
  for (let n = 0; n < 50; n++) t.type(await attempt(node, `${n}@example.com`, '192.0.2.1'), 'object')
  const before = { ...node.stats().scheduler, resident: node.stats().resident }
  for (let n = 50; n < 80; n++) t.type(await attempt(node, `${n}@example.com`, '192.0.2.1'), 'number')
  t.same({ ...node.stats().scheduler, resident: node.stats().resident }, before)
})

t.test('a success does not count, and leaves nothing behind', async (t) => {
  const { node, rows, database } = await start(t)
  for (let n = 0; n < 12; n++) {
    const begun = await attempt(node, 'ana@example.com', '192.0.2.1')
    if (typeof begun === 'number') return t.fail('refused')
    await begun.forgive()
  }
  t.same(await rows(), [])
  t.same(await database.execute('select * from timer'), [])
  for (let n = 0; n < 4; n++) await attempt(node, 'ana@example.com', '192.0.2.1')
  const last = await attempt(node, 'ana@example.com', '192.0.2.1')
  t.type(await attempt(node, 'ana@example.com', '192.0.2.1'), 'number')
  if (typeof last !== 'number') await last.forgive()
  t.type(await attempt(node, 'ana@example.com', '192.0.2.1'), 'object', 'there is room again')
})

t.test('the next owner remembers failures, and forgets them in time', async (t) => {
  const { nodes, clock, rows, database } = await start(t, [{}])
  for (let n = 0; n < 5; n++) await attempt(nodes[0]!, 'ana@example.com', '192.0.2.1')
  t.equal((await rows()).length, 3)
  t.notMatch(JSON.stringify(await rows()), /ana@example|192\.0\.2/, 'whom they are of is not kept')
  await nodes[0]!.stop(1000)
  const nats = await testNats(t)
  const next = await startNode(t, { database, nats }, [signInActor()], { clock })
  t.equal(await attempt(next, 'ana@example.com', '192.0.2.1'), 15 * 60)
  clock.turn(60 * MINUTE_MS)
  await eventually('nothing is left', async () => {
    clock.turn(1000)
    return (await rows()).length === 0
  })
  t.same(await database.execute('select * from timer'), [])
})

t.test('failures do not count for longer because the clock was set back', async (t) => {
  const { node, clock } = await start(t)
  for (let n = 0; n < 5; n++) await attempt(node, 'ana@example.com', '192.0.2.1')
  t.equal(await attempt(node, 'ana@example.com', '192.0.2.1'), 15 * 60)
  clock.turn(-60 * MINUTE_MS)
  t.type(await attempt(node, 'ana@example.com', '192.0.2.1'), 'object')
})
