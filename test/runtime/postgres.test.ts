import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { Unavailable } from '../../runtime/mod.ts'
import { openDatabase } from '../../storage/mod.ts'
import { privatePostgres, testDatabase, testNats } from '../support/mod.ts'
import { linkKind, upTo } from './support/links.ts'
import { type Line, proxied } from './support/proxy.ts'
import { startNode } from './support/start_node.ts'
import { until } from './support/wait.ts'

const link = linkKind()
const path = [link.address('b'), link.address('c')]

t.test('a PostgreSQL that dies in mid-load: asks are Unavailable in time, nothing is lost or doubled', async (t) => {
  const postgres = await privatePostgres(t)
  const nats = await testNats(t)
  const database = await openDatabase({ url: postgres.url })
  t.teardown(() => database.close())
  const node = await startNode(t, { database, nats }, [link])
  const answered: number[] = []
  const refused: unknown[] = []
  let loading = true
  const load = upTo(8).map(async () => {
    while (loading) {
      const number = await node
        .ask(link.address('a'), { type: 'next', path }, { deadline_ms: 300 })
        .catch((error) => error)
      if (typeof number === 'number') answered.push(number)
      else refused.push(number)
    }
  })
  await until(() => answered.length > 100)
  await postgres.kill()
  await until(() => refused.length >= 16)
  await t.rejects(node.tell(link.address('a'), { type: 'seen' }, { deadline_ms: 200 }), Unavailable)
  const before = answered.length
  await postgres.start()
  await until(() => answered.length > before + 100)
  loading = false
  await Promise.all(load)
  t.ok(refused.every((error) => error instanceof Unavailable))
  t.equal(new Set(answered).size, answered.length)
  const taken = (await node.ask(link.address('a'), { type: 'next', path })) as number
  t.ok(Math.max(...answered) < taken)
  for (const key of ['b', 'c']) {
    const seen = async () => (await node.ask(link.address(key), { type: 'seen' }))['link/a'] ?? []
    await until(async () => (await seen()).length >= taken)
    t.strictSame(await seen(), upTo(taken))
  }
  t.strictSame(await database.execute('select * from dead_letter'), [])
})

for (const happened of [true, false]) {
  t.test(`I4 a line cut at the commit, which had ${happened ? '' : 'not '}happened`, async (t) => {
    const { url } = await testDatabase(t)
    const nats = await testNats(t)
    let cuts = 0
    let armed: Line | undefined
    const through = await proxied(t, url, {
      toServer(piece, line) {
        if (cuts < 3 && piece.includes('lane_fence')) {
          cuts++
          if (!happened) {
            line.client.destroy()
            return
          }
          armed = line
        }
        line.server.write(piece)
      },
      toClient(piece, line) {
        if (line !== armed) line.client.write(piece)
        // `ReadyForQuery` in the idle state shows that the commit is through.
        else if (piece.includes('Z\0\0\0\x05I')) line.client.destroy()
      },
    })
    const database = await openDatabase({ url: through })
    t.teardown(() => database.close())
    const node = await startNode(t, { database, nats }, [link])
    for (const n of upTo(5)) t.equal(await node.ask(link.address('a'), { type: 'next', path }), n)
    await until(async () => (await node.ask(link.address('c'), { type: 'seen' }))['link/a']?.length === 5)
    t.strictSame(await node.ask(link.address('c'), { type: 'seen' }), { 'link/a': upTo(5) })
    t.equal(cuts, 3)
  })
}

t.test('I8 a line to the broker that is cut again and again only delays', async (t) => {
  const { database } = await testDatabase(t)
  const nats = await testNats(t)
  const lines = new Set<Line>()
  const url = await proxied(t, nats.url, {
    toServer(piece, line) {
      lines.add(line)
      line.server.write(piece)
    },
  })
  const node = await startNode(t, { database, nats: { ...nats, url } }, [link])
  for (let round = 0; round < 3; round++) {
    await Promise.all(upTo(50).map(() => node.ask(link.address('a'), { type: 'next', path })))
    for (const line of lines) line.client.destroy()
    lines.clear()
    await Promise.all(upTo(50).map(() => node.ask(link.address('a'), { type: 'next', path })))
    await sleep(100)
  }
  await until(async () => (await node.ask(link.address('c'), { type: 'seen' }))['link/a']?.length === 300)
  t.strictSame(await node.ask(link.address('c'), { type: 'seen' }), { 'link/a': upTo(300) })
})
