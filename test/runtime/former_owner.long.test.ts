/** A node whose partitions were taken while it waited: it uses nothing that it remembers, and begins nothing there. */
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { defineActor, mayBegin, type Node } from '../../runtime/mod.ts'
import { type Database, openDatabase, type Sql } from '../../storage/mod.ts'
import { TEST_SECRET, testDatabase, testNats } from '../support/mod.ts'
import { startNode } from './support/start_node.ts'
import { until } from './support/wait.ts'

type Protocol = {
  call: { message: object; reply: number }
  called: { message: object; reply: void }
  count: { message: object; reply: number }
}

/** Makes an actor that calls the outside after it has marked the call. */
function callerKind(calls: string[], permits: boolean[] = [], slow_ms = 0) {
  return defineActor<Protocol, { marked: number }>({
    kind: 'caller',
    create: () => ({ marked: 0 }),
    peek: { count: ({ state }) => state.marked },
    receive: {
      call(turn) {
        turn.state.marked++
        turn.save()
        turn.work(
          async (signal) => {
            calls.push(turn.key)
            await pause(slow_ms)
            permits.push(mayBegin(signal))
            return { type: 'called' }
          },
          { unbroken: true },
        )
        return turn.state.marked
      },
      called: () => {},
      count: (turn) => turn.state.marked,
    },
  })
}

/** Opens a database that holds back the answers of commits and receives no renewal of the lease while it is `away`. */
async function fragile(t: Test, url: string) {
  const database = await openDatabase({ url, secret: TEST_SECRET })
  t.teardown(() => database.close())
  const state = { away: false, held: 0 }
  const back = async () => {
    while (state.away) await pause(20)
  }
  const own: Database = {
    ...database,
    async commit(...args) {
      const rows = await database.commit(...args)
      if (state.away) state.held++
      await back()
      return rows
    },
    async ask(sql, ms) {
      if (state.away) throw new Error(`no answer within ${ms} ms`)
      return database.ask(sql, ms)
    },
    async execute<Row>(statement: Sql | string, params?: readonly unknown[]) {
      await back()
      return database.execute<Row>(statement as string, params)
    },
    breakConnections() {},
  }
  return { own, state }
}

async function pair(t: Test, kind: ReturnType<typeof callerKind>) {
  const { url, database } = await testDatabase(t, { pool_size: 8 })
  const nats = await testNats(t)
  const { own, state } = await fragile(t, url)
  const options = { partitions: 4, cluster: {} }
  const former = await startNode(t, { database: own, nats }, [kind], options)
  const next = await startNode(t, { database, nats }, [kind], options)
  await until(() => former.stats().partitions === 2 && next.stats().partitions === 2)
  const address = Array.from({ length: 100 }, (_, n) => kind.address(`k${n}`)).find((one) => former.isHere(one))!
  return { database, former, next, address, state }
}

const isTaken = (next: Node) => until(() => next.stats().partitions === 4)

t.test('I11 a call decided before the partition was taken does not begin when its commit becomes known', async (t) => {
  const calls: string[] = []
  const { former, next, address, state } = await pair(t, callerKind(calls))
  await former.tell(address, { type: 'called' })
  t.equal(await former.ask(address, { type: 'count' }), 0)
  state.away = true
  const asked = former.ask(address, { type: 'call' }, { deadline_ms: 30_000 }).catch((error) => error)
  await until(() => state.held > 0)
  await isTaken(next)
  t.equal(await next.ask(address, { type: 'count' }), 1, 'the mark was committed')
  state.away = false
  t.equal(await asked, 1, 'the caller hears what was committed')
  await until(() => former.stats().partitions === 2)
  t.strictSame(calls, [])
})

t.test(
  'I11 a call decided under a lease that ran out begins once it is renewed, if nobody took the partition',
  async (t) => {
    const calls: string[] = []
    const { url } = await testDatabase(t)
    const nats = await testNats(t)
    const { own, state } = await fragile(t, url)
    const kind = callerKind(calls)
    const node = await startNode(t, { database: own, nats }, [kind], { partitions: 2, cluster: {} })
    await until(() => node.stats().partitions === 2)
    await node.tell(kind.address('a'), { type: 'called' })
    t.equal(await node.ask(kind.address('a'), { type: 'count' }), 0)
    state.away = true
    const asked = node.ask(kind.address('a'), { type: 'call' }, { deadline_ms: 30_000 })
    await until(() => state.held > 0)
    await pause(3000)
    state.away = false
    t.equal(await asked, 1)
    await until(() => calls.length === 1)
  },
)

t.test('I11 work that has begun to prepare may not begin outside after the lease is over', async (t) => {
  const permits: boolean[] = []
  const { former, next, address, state } = await pair(t, callerKind([], permits, 6000))
  t.equal(await former.ask(address, { type: 'call' }), 1)
  state.away = true
  await isTaken(next)
  await until(() => permits.length === 1)
  t.strictSame(permits, [false])
  state.away = false
})

t.test('I14 memory answers nothing after the lease is over, and nothing stale later', async (t) => {
  const { former, next, address, state } = await pair(t, callerKind([]))
  t.equal(await former.ask(address, { type: 'call' }), 1)
  await until(() => former.tryAsk(address, { type: 'count' }) === 1)
  state.away = true
  // The commit is under way while the partition goes, so the activation of the actor must not stay.
  const asked = former.ask(address, { type: 'call' }, { deadline_ms: 30_000 }).catch((error) => error)
  await until(() => state.held > 0)
  await isTaken(next)
  t.equal(former.tryAsk(address, { type: 'count' }), undefined)
  t.equal(await next.ask(address, { type: 'call' }), 3)
  state.away = false
  await asked
  t.not(former.tryAsk(address, { type: 'count' }), 2)
  await until(() => former.stats().partitions === 2 && next.stats().partitions === 2)
  t.equal(await former.ask(address, { type: 'count' }), 3)
})
