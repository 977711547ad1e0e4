/** A dead letter is replayed once or dropped, whatever happens to the nodes that do it. */
import t from 'tap'
import { DEAD_LETTERS, deadLettersActor } from '../../actors/mod.ts'
import { defineActor, silentLog } from '../../runtime/mod.ts'
import { type Database, forgetDeadLetters, listDeadLetters } from '../../storage/mod.ts'
import { startNode } from '../runtime/support/start_node.ts'
import { cutOff, isCommit, tapped } from '../runtime/support/tapped.ts'
import { until } from '../runtime/support/wait.ts'
import { testDatabase, testNats } from '../support/mod.ts'

/** An actor that notes each message, however often it comes. */
const noted = defineActor<{ note: { message: { n: number }; reply: void } }, number[]>({
  kind: 'noted',
  create: () => [],
  receive: {
    note(turn, { n }) {
      if (n < 0) throw new Error('poison')
      turn.state.push(n)
      turn.save()
    },
  },
})
const letters = deadLettersActor({ log: silentLog })
const kinds = [noted, letters]

const park = (database: Database, numbers: number[], size = 0) =>
  database.execute(
    `insert into dead_letter (partition, address, sender, message, error)
     select 0, 'noted/' || n % 3, 'noted/sender', json_build_object('type', 'note', 'n', n, 'text', repeat('x', ?)), 'Error'
     from unnest(?::int[]) with ordinality as x(n, place) order by place`,
    [size, `{${numbers.join()}}`],
  )

async function notes(database: Database): Promise<number[]> {
  const rows = await database.execute<{ state: number[] }>(`select state from actor_state order by address`)
  return rows.flatMap(({ state }) => state)
}

async function untilApplied(database: Database): Promise<void> {
  await until(async () => (await database.execute('select 1 from outbox limit 1')).length === 0)
}

const replay = (filter = {}, limit = 1000) => ({ type: 'replay' as const, filter, limit })
const drop = (filter = {}, limit = 1000) => ({ type: 'drop' as const, filter, limit })
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1)
const inOrder = (numbers: number[]) => numbers.toSorted((a, b) => a - b)

t.test('fifty requests to two nodes replay one letter once, and each of many letters once', async (t) => {
  const [{ database }, nats] = [await testDatabase(t), await testNats(t)]
  const nodes = [
    await startNode(t, { database, nats }, kinds, { take: [0, 1] }),
    await startNode(t, { database, nats }, kinds, { take: [2, 3] }),
  ] as const
  await park(database, [1])
  const [{ id }] = (await database.execute('select id::text from dead_letter')) as [{ id: string }]
  const fifty = (message: ReturnType<typeof replay>) =>
    Promise.all(upTo(50).map((n) => nodes[n % 2]!.ask(DEAD_LETTERS, message)))
  t.strictSame(inOrder(await fifty(replay({ id }))), [...Array(49).fill(0), 1])
  await park(database, upTo(500).slice(1))
  const counts = await fifty(replay())
  t.equal(
    counts.reduce((sum, count) => sum + count),
    499,
  )
  await untilApplied(database)
  t.strictSame(inOrder(await notes(database)), upTo(500))
  t.strictSame(await database.execute('select * from dead_letter'), [])
})

t.test('letters to one actor come in the order in which they were parked', async (t) => {
  const [{ database }, nats] = [await testDatabase(t), await testNats(t)]
  const node = await startNode(t, { database, nats }, kinds)
  const numbers = [9, 3, 6, 12, 0, 300, 27]
  await park(database, numbers)
  t.equal(await node.ask(DEAD_LETTERS, replay({}, 2)), 2)
  t.equal(await node.ask(DEAD_LETTERS, replay()), 5)
  await untilApplied(database)
  t.strictSame(await notes(database), numbers)
})

t.test('a turn takes no more than a hundred letters, and few large ones', async (t) => {
  const [{ database }, nats] = [await testDatabase(t), await testNats(t)]
  const node = await startNode(t, { database, nats }, kinds)
  await park(database, upTo(120))
  t.equal(await node.ask(DEAD_LETTERS, replay()), 100)
  t.equal(await node.ask(DEAD_LETTERS, replay()), 20)
  t.equal(await node.ask(DEAD_LETTERS, replay()), 0)
  await park(database, [121, 122, 123], 700_000)
  t.equal(await node.ask(DEAD_LETTERS, replay()), 2)
  t.equal(await node.ask(DEAD_LETTERS, replay()), 1)
  await park(database, [124], 1_100_000)
  t.equal(await node.ask(DEAD_LETTERS, replay()), 1, 'one at least')
  await untilApplied(database)
  t.strictSame(inOrder(await notes(database)), upTo(124))
})

t.test('commits whose answers are lost, before and after they happened, replay and drop nothing twice', async (t) => {
  const [{ database: real }, nats] = [await testDatabase(t), await testNats(t)]
  let count = 0
  const database = tapped(real, async (sql, run) => {
    if (!isCommit(sql) || !sql.includes('delete from "dead_letter"')) return run()
    const n = ++count % 4
    if (n === 1) throw cutOff()
    const rows = await run()
    if (n === 2) throw cutOff()
    return rows
  })
  const node = await startNode(t, { database, nats }, kinds)
  await park(real, upTo(30))
  for (const n of upTo(10)) t.equal(await node.ask(DEAD_LETTERS, replay({}, 2)), 2, `replay ${n}`)
  for (const n of upTo(5)) t.equal(await node.ask(DEAD_LETTERS, drop({}, 2)), 2, `drop ${n}`)
  t.ok(count > 15, 'commits were repeated')
  await untilApplied(real)
  t.strictSame(inOrder(await notes(real)), upTo(20))
  t.strictSame(await real.execute('select * from dead_letter'), [])
})

t.test('an owner that lost its partition between reading a letter and its commit tells nothing', async (t) => {
  const [{ database }, nats] = [await testDatabase(t), await testNats(t)]
  const gate = Promise.withResolvers<void>()
  let reached = false
  const slow = tapped(database, async (sql, run) => {
    const rows = await run()
    if (sql.includes('bytes_before') && !reached) {
      reached = true
      await gate.promise
    }
    return rows
  })
  const former = await startNode(t, { database: slow, nats }, kinds)
  await park(database, [1, 2, 3])
  const asked = former.ask(DEAD_LETTERS, replay())
  await until(() => reached)
  const present = await startNode(t, { database, nats }, kinds)
  t.equal(await present.ask(DEAD_LETTERS, replay({}, 2)), 2)
  gate.resolve()
  t.equal(await asked, 1, 'the present owner answers: one was left')
  await untilApplied(database)
  t.strictSame(inOrder(await notes(database)), [1, 2, 3])
})

t.test('a letter that fails again is parked anew in the name of its sender', async (t) => {
  const [{ database }, nats] = [await testDatabase(t), await testNats(t)]
  const node = await startNode(t, { database, nats }, kinds)
  await park(database, [-1])
  const list = async () => (await listDeadLetters(database, {}, { limit: 10, offset: 0 })).data
  const [first] = await list()
  t.equal(await node.ask(DEAD_LETTERS, replay()), 1)
  const again = await until(async () => (await list())[0])
  t.match(again, { address: first!.address, type: 'note', sender: 'noted/sender', error: 'Error: poison' })
  t.not(again.id, first!.id)
  t.equal(await node.ask(DEAD_LETTERS, replay({ max_id: first!.id })), 0)
  t.equal(await node.ask(DEAD_LETTERS, drop()), 1)
  t.strictSame(await list(), [])
})

t.test('letters are deleted when they are old by the clock of the database', async (t) => {
  const { database } = await testDatabase(t)
  await park(database, upTo(2500))
  await database.execute(`update dead_letter set parked_at = now() - interval '91 days' where id <= 2100`)
  await database.execute(`update dead_letter set parked_at = now() - interval '89 days' where id between 2101 and 2200`)
  t.equal(await forgetDeadLetters(database, 90), 2100)
  t.equal((await listDeadLetters(database, {}, { limit: 1, offset: 0 })).total, 400)
  t.equal(await forgetDeadLetters(database, 90), 0)
})
