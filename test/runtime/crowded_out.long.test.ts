/** Actors whose turns cannot be committed, and which get many messages, do not block their partition for others. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { testDatabase, testNats } from '../support/mod.ts'
import { linkKind, upTo } from './support/links.ts'
import { startNode } from './support/start_node.ts'
import { until } from './support/wait.ts'

const LIMIT = 500

for (const { name, blocked, each } of [
  { name: 'one actor', blocked: 1, each: LIMIT + 100 },
  { name: 'many actors', blocked: 12, each: 70 },
])
  t.test(`I5 I9 messages for others go on while more waits for ${name} than an inbox holds`, async (t) => {
    const { database, url } = await testDatabase(t, { pool_size: 8 })
    const nats = await testNats(t)
    const link = linkKind()
    const node = await startNode(t, { database, nats }, [link], { partitions: 1, inbox_limit: LIMIT })
    const seen = async (by: string, from: string) => {
      const all = await node.ask(link.address(by), { type: 'seen' }, { deadline_ms: 60_000 })
      return all[`link/${from}`] ?? []
    }
    const next = (from: string, to: string) => node.ask(link.address(from), { type: 'next', path: [link.address(to)] })
    const pairs = upTo(blocked).map((n) => [`from${n}`, `blocked${n}`] as const)
    for (const [from, to] of pairs) {
      await next(from, to)
      await until(async () => (await seen(to, from)).length === 1)
    }
    const other = await openDatabase({ url, pool_size: 4 })
    t.teardown(() => other.close())
    await other.em().transactional(async (em) => {
      // Our own sessions end a transaction that is idle for 5 s.
      const isSo = (what: () => Promise<boolean>) =>
        until(async () => {
          await em.execute('select 1')
          return what()
        })
      await em.execute(`select 1 from actor_state where address like 'link/blocked%' for update`)
      for (const [from, to] of pairs) {
        for (let n = 0; n < each; n += 10) await Promise.all(upTo(10).map(() => next(from, to)))
        await em.execute('select 1')
      }
      for (let n = 1; n <= 3; n++) {
        await next('c', 'free')
        await isSo(async () => (await seen('free', 'c')).length === n)
      }
      t.ok(node.stats().inboxes.waiting < LIMIT, 'places are left')
    })
    for (const [from, to] of pairs) {
      await next(from, to)
      await until(async () => (await seen(to, from)).length >= each + 2)
      t.strictSame(await seen(to, from), upTo(each + 2), `each once and in order: ${to}`)
    }
    await until(async () => (await database.execute('select 1 from outbox')).length === 0)
    await until(() => node.stats().inboxes.waiting === 0)
  })
