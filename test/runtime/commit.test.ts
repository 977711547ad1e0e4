import t, { type Test } from 'tap'
import { defineActor } from '../../runtime/mod.ts'
import { type Database, Idempotency } from '../../storage/mod.ts'
import { testDatabase, testNats } from '../support/mod.ts'
import { linkKind, upTo } from './support/links.ts'
import { startNode } from './support/start_node.ts'
import { cutOff, isCommit, tapped } from './support/tapped.ts'
import { until } from './support/wait.ts'

type Tap = (sql: string, run: () => Promise<Record<string, unknown>[]>) => Promise<Record<string, unknown>[]>

/** Starts a node whose n-th commit (from 1) goes through `tap`, with the statements that the lane sends after it. */
async function nodeWith(t: Test, tap: (n: number, sql: string, run: () => ReturnType<Tap>) => ReturnType<Tap>) {
  const { database } = await testDatabase(t)
  const nats = await testNats(t)
  let commits = 0
  const flaky = tapped(database, (sql, run) => {
    if (isCommit(sql)) return tap(++commits, sql, run)
    return commits > 0 && / lane /.test(sql) && !/outbox/.test(sql) ? tap(commits, sql, run) : run()
  })
  const link = linkKind()
  const node = await startNode(t, { database: flaky, nats }, [link])
  const next = () => node.ask(link.address('a'), { type: 'next', path: [link.address('b')] })
  /** Checks that every number came to b once and in order, and that nothing is left on the way. */
  const check = async (n: number) => {
    await until(async () => (await node.ask(link.address('b'), { type: 'seen' }))['link/a']?.length === n)
    t.strictSame(await node.ask(link.address('b'), { type: 'seen' }), { 'link/a': upTo(n) })
    t.strictSame(await database.execute('select * from outbox'), [])
  }
  return { database, node, next, check }
}

t.test('I4 a commit that happened and whose answer was lost is not done again', async (t) => {
  const { next, check } = await nodeWith(t, async (n, sql, run) => {
    const rows = await run()
    if (n === 1 && isCommit(sql)) throw cutOff()
    return rows
  })
  t.equal(await next(), 1)
  t.equal(await next(), 2)
  await check(2)
})

t.test('I4 a commit that did not happen is repeated', async (t) => {
  const { next, check } = await nodeWith(t, async (n, _sql, run) => {
    if (n <= 2) throw cutOff()
    return run()
  })
  t.equal(await next(), 1)
  await check(1)
})

t.test('I4 the counter that settles a doubt may be out of reach for a while itself', async (t) => {
  let failures = 0
  const { next, check } = await nodeWith(t, async (n, sql, run) => {
    if (isCommit(sql)) {
      const rows = await run()
      if (n === 1) throw cutOff()
      return rows
    }
    if (++failures <= 3) {
      // The connection breaks before the counter is moved, and after.
      if (failures === 2) await run()
      throw cutOff()
    }
    return run()
  })
  t.equal(await next(), 1)
  t.equal(await next(), 2)
  await check(2)
})

t.test('I4 a commit in doubt that another owner overtook is still answered by its real result', async (t) => {
  let database: Database | undefined
  const { node, next, ...rest } = await nodeWith(t, async (n, sql, run) => {
    const rows = await run()
    if (n === 1 && isCommit(sql)) {
      await database!.execute('update partition set epoch = epoch + 1')
      throw cutOff()
    }
    return rows
  })
  database = rest.database
  t.equal(await next(), 1, 'done here, not asked of the new owner again')
  const [row] = await database.execute(`select state from actor_state where address = 'link/a'`)
  t.match(row, { state: { n: 1 } })
})

t.test('I4 a commit in doubt cannot happen later, once it has been answered otherwise', async (t) => {
  let late: (() => Promise<unknown>) | undefined
  const { next, check } = await nodeWith(t, async (n, sql, run) => {
    if (isCommit(sql) && n === 1) {
      late = run
      throw cutOff()
    }
    if (isCommit(sql) && n === 2) throw Object.assign(new Error('refused'), { code: '23505' })
    return run()
  })
  t.equal(await next(), 1)
  await t.rejects(late!(), { code: 'PL003' })
  t.equal(await next(), 2)
  await check(2)
})

t.test('I4 I6 a lane whose row is gone goes on under a new source', async (t) => {
  const { database, next, check } = await nodeWith(t, (_n, _sql, run) => run())
  t.equal(await next(), 1)
  await check(1)
  await database.execute('delete from lane')
  t.equal(await next(), 2)
  await check(2)
})

t.test('I4 a stop gives up a commit in doubt, and says so', async (t) => {
  const { node, next } = await nodeWith(t, async () => {
    throw cutOff()
  })
  const answer = next().catch((error) => error.name)
  await until(() => node.stats().lane.retries > 0)
  await node.stop(50)
  t.equal(await answer, 'Unavailable')
})

type PoisonProtocol = {
  put: { message: { key: string; status: unknown }; reply: string }
  told: { message: { to: string }; reply: undefined }
}
/** An actor that writes a row and tells its neighbour. A status that is no number is an SQL error in the commit. */
const poison = defineActor<PoisonProtocol, { puts: number }>({
  kind: 'poison',
  create: () => ({ puts: 0 }),
  receive: {
    put(turn, { key, status }) {
      turn.state.puts++
      turn.insert(Idempotency, {
        project_id: turn.key,
        route: 'r',
        key,
        body_hash: '',
        status: status as number,
        created_at: turn.now,
      })
      turn.save()
      turn.tell('link/seen', { type: 'pass', origin: turn.address, n: turn.state.puts, path: [] } as never)
      return key
    },
    told: (turn, { to }) => turn.tell(to, { type: 'put', key: 'told', status: 'x' } as never) as undefined,
  },
})

t.test('I1 I5 of many turns in one commit only the turn at fault stays behind', async (t) => {
  const { database } = await testDatabase(t)
  const nats = await testNats(t)
  const link = linkKind()
  const node = await startNode(t, { database, nats }, [poison, link])
  const asks = upTo(40).map((n) =>
    node
      .ask(poison.address(`p${n}`), { type: 'put', key: 'k', status: n % 10 === 0 ? 'no number' : n })
      .catch((error) => error),
  )
  const answers = await Promise.all(asks)
  t.equal(answers.filter((answer) => answer === 'k').length, 36)
  t.equal(answers.filter((answer) => answer.code === '22P02').length, 4)
  t.match(await database.execute('select count(*)::int as count from idempotency'), [{ count: 36 }])
  t.match(await database.execute(`select count(*)::int as count from actor_state where address like 'poison/%'`), [
    { count: 36 },
  ])
  const seen = await until(async () => {
    const seen = await node.ask(link.address('seen'), { type: 'seen' })
    return Object.keys(seen).length === 36 && seen
  })
  t.ok(
    Object.values(seen).every((numbers) => numbers.length === 1 && numbers[0] === 1),
    'no effect of an undone turn',
  )
})

t.test('I1 I2 a turn whose commit fails leaves nothing: no state, no send, no reply', async (t) => {
  const { database } = await testDatabase(t)
  const nats = await testNats(t)
  const link = linkKind()
  const node = await startNode(t, { database, nats }, [poison, link])
  const a = poison.address('a')
  t.equal(await node.ask(a, { type: 'put', key: '1', status: 1 }), '1')
  await t.rejects(node.ask(a, { type: 'put', key: '1', status: 1 }), { code: '23505' }, 'a unique value')
  t.equal(await node.ask(a, { type: 'put', key: '2', status: 1 }), '2', 'the actor goes on')
  const seen = await until(async () => {
    const { 'poison/a': numbers } = await node.ask(link.address('seen'), { type: 'seen' })
    return numbers?.length === 2 && numbers
  })
  t.strictSame(seen, [1, 2])
})

t.test('I1 I4 under a commit that fails at random, each number is taken and passed on once', async (t) => {
  let seed = 7
  const random = () => {
    seed = (seed * 48271) % 2147483647
    return seed / 2147483647
  }
  const { next, check } = await nodeWith(t, async (_n, sql, run) => {
    const dice = random()
    if (dice < 0.15) throw cutOff()
    const rows = await run()
    if (dice > 0.85 && isCommit(sql)) throw cutOff()
    return rows
  })
  for (let i = 0; i < 30; i++) t.equal(await next(), i + 1)
  await check(30)
})
