/** A short piece of `npm run test:scale`: ten nodes come, die and leave, and no partition ever has two owners. */
import t from 'tap'
import { testDatabaseUrl } from '../support/mod.ts'
import { Fleet } from './fleet.ts'

const [NODES, PARTITIONS] = [10, 64]
// Takes five seconds on an idle machine.

t.test('ten nodes share the partitions, whichever node comes, dies or leaves', async (t) => {
  const fleet = await Fleet.open({ url: await testDatabaseUrl(t), partitions: PARTITIONS, databases: 2, slowness: 1 })
  t.teardown(() => fleet.close())
  await fleet.start(NODES)
  await fleet.until('even shares', () => fleet.isEven)

  const [first, second, third] = fleet.owners()
  fleet.kill(first!)
  fleet.kill(second!)
  await fleet.until('even shares after two deaths', () => fleet.isEven)
  await fleet.start(1)
  await fleet.until('even shares with a newcomer', () => fleet.isEven)
  await fleet.leave(third!)
  await fleet.until('even shares after a leave', () => fleet.isEven)
  t.same(fleet.ownership.findings, [])
})
