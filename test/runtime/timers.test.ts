import t, { type Test } from 'tap'
import { defineActor, type NodeOptions } from '../../runtime/mod.ts'
import { testDatabase, testNats } from '../support/mod.ts'
import { startNode } from './support/start_node.ts'
import { TurnedClock } from './support/turned_clock.ts'
import { until } from './support/wait.ts'

type Protocol = {
  set: { message: { name: string; ms: number; label?: string }; reply: undefined }
  cancel: { message: { name: string }; reply: undefined }
  /** Sets the timer again and fails in the same turn. */
  spoil: { message: { name: string }; reply: undefined }
  rang: { message: { label: string }; reply: undefined }
  awake: { message: { steps: boolean[] }; reply: undefined }
  wake: { message: object; reply: undefined }
  read: { message: object; reply: string[] }
}

const bell = defineActor<Protocol, { rang: string[] }>({
  kind: 'bell',
  create: () => ({ rang: [] }),
  receive: {
    set(turn, { name, ms, label = name }) {
      turn.timer(name, new Date(turn.now.getTime() + ms), { type: 'rang', label } as never)
    },
    cancel(turn, { name }) {
      turn.cancel(name)
    },
    spoil(turn, { name }) {
      turn.timer(name, turn.now, { type: 'rang', label: 'spoilt' } as never)
      throw new Error('spoilt')
    },
    rang(turn, { label }) {
      turn.state.rang.push(label)
      turn.save()
    },
    awake: (turn, { steps }) => {
      for (const step of steps) turn.awake(step)
    },
    wake(turn) {
      turn.state.rang.push('wake')
      turn.save()
    },
    read: (turn) => turn.state.rang,
  },
})

async function start(t: Test, options: Partial<NodeOptions> = {}) {
  const clock = new TurnedClock()
  const { database } = await testDatabase(t)
  const nats = await testNats(t)
  const begin = () => startNode(t, { database, nats }, [bell], { clock, ...options })
  const node = await begin()
  const rows = () => database.execute('select name from timer order by name')
  return { clock, database, node, begin, rows, a: bell.address('a') }
}

t.test('timers ring once, in time and in order, and their rows go with them', async (t) => {
  const { clock, node, rows, a } = await start(t)
  await node.ask(a, { type: 'set', name: 'late', ms: 50_000 })
  await node.ask(a, { type: 'set', name: 'early', ms: 1000 })
  clock.turn(999)
  t.strictSame(await node.ask(a, { type: 'read' }), [])
  clock.turn(1)
  t.strictSame(await node.ask(a, { type: 'read' }), ['early'])
  clock.turn(49_000)
  t.strictSame(await node.ask(a, { type: 'read' }), ['early', 'late'])
  await until(async () => (await rows()).length === 0)
})

t.test('a timer far away is found when it comes near', async (t) => {
  const { clock, node, a } = await start(t)
  await node.ask(a, { type: 'set', name: 'far', ms: 100_000 })
  await until(async () => {
    clock.turn(5000)
    return (await node.ask(a, { type: 'read' })).length > 0
  })
  t.ok(clock.now() >= Date.UTC(2030, 0, 1) + 100_000)
})

t.test('timers ring after a restart, those that are overdue at once', async (t) => {
  const { clock, node, begin, a } = await start(t)
  await node.ask(a, { type: 'set', name: 'x', ms: 1000 })
  await node.ask(a, { type: 'set', name: 'y', ms: 2000 })
  await node.stop()
  clock.turn(1500)
  const second = await begin()
  clock.turn(0)
  t.strictSame(await second.ask(a, { type: 'read' }), ['x'])
  clock.turn(500)
  t.strictSame(await second.ask(a, { type: 'read' }), ['x', 'y'])
})

t.test(
  'a timer that is changed or cancelled after it fired but before it was applied does not ring as it was',
  async (t) => {
    const { clock, node, rows, a } = await start(t)
    for (const name of ['moved', 'cancelled', 'same']) await node.ask(a, { type: 'set', name, ms: 1000 })
    // The asks wait in the mailbox before the firings.
    const asks = [
      node.ask(a, { type: 'set', name: 'moved', ms: 5000, label: 'moved later' }),
      node.ask(a, { type: 'cancel', name: 'cancelled' }),
      node.ask(a, { type: 'set', name: 'same', ms: 1000, label: 'said otherwise' }),
    ]
    clock.turn(1000)
    await Promise.all(asks)
    t.strictSame(await node.ask(a, { type: 'read' }), [])
    clock.turn(5000)
    await until(async () => (await node.ask(a, { type: 'read' })).length === 2)
    t.strictSame((await node.ask(a, { type: 'read' })).sort(), ['moved later', 'said otherwise'])
    await until(async () => (await rows()).length === 0)
  },
)

t.test('I11 a change of a timer that is undone leaves the timer as it was, even when it had fired', async (t) => {
  const { clock, node, rows, a } = await start(t)
  await node.ask(a, { type: 'set', name: 'kept', ms: 1000 })
  const spoilt = node.ask(a, { type: 'spoil', name: 'kept' }, { deadline_ms: 100_000 })
  clock.turn(1000)
  spoilt.catch(() => {})
  await until(async () => {
    clock.turn(100)
    return (await rows()).length === 0
  })
  await t.rejects(spoilt, /spoilt/)
  // An actor whose state was thrown away is woken.
  t.strictSame(await node.ask(a, { type: 'read' }), ['kept', 'wake'])
})

t.test('a stale setting that a scan has read does not replace the new one', async (t) => {
  const { clock, database, node, a } = await start(t)
  for (let i = 0; i < 20; i++) {
    await node.ask(a, { type: 'set', name: 'x', ms: 10_000 })
    clock.turn(20_000 / 20)
  }
  t.strictSame(await node.ask(a, { type: 'read' }), [])
  clock.turn(9000)
  await until(async () => (await database.execute('select 1 from timer')).length === 0)
  t.strictSame(await node.ask(a, { type: 'read' }), ['x'])
})

t.test('an actor that is awake is woken by the next owner, and the last word within a turn counts', async (t) => {
  const { node, begin } = await start(t)
  const says: [string, boolean[][]][] = [
    ['on', [[true]]],
    ['off', [[true], [false]]],
    ['on_again', [[true], [false, true]]],
    ['off_again', [[false], [true, false]]],
  ]
  for (const [key, turns] of says) {
    for (const steps of turns) await node.ask(bell.address(key), { type: 'awake', steps })
  }
  await node.stop()
  const second = await begin()
  const woken = async () => {
    const rang = await Promise.all(says.map(([key]) => second.ask(bell.address(key), { type: 'read' })))
    return says.filter((_, i) => rang[i]!.length > 0).map(([key]) => key)
  }
  await until(async () => (await woken()).length === 2)
  t.strictSame(await woken(), ['on', 'on_again'])
})

t.test('overdue timers of a long outage enter a few at a time, the earliest first, and each rings once', async (t) => {
  const count = 3000
  const { database } = await testDatabase(t)
  const nats = await testNats(t)
  const first = await startNode(t, { database, nats }, [bell])
  const partition = first.partitionOf(bell.address('a'))
  await first.stop()
  await database.execute(`
    insert into timer (partition, address, name, due_at, message)
    select ${partition}, 'bell/a', 'n' || n, date_trunc('milliseconds', now()) - interval '1 day' + n * interval '1 second',
      json_build_object('type', 'rang', 'label', 'n' || n)
    from generate_series(1, ${count}) n`)
  const node = await startNode(t, { database, nats }, [bell], { partitions: 4 })
  let most = 0
  const rung = await until(async () => {
    most = Math.max(most, node.stats().timers)
    const rang = await node.ask(bell.address('a'), { type: 'read' })
    return rang.length >= count && rang
  }, 60_000)
  t.strictSame(
    rung,
    Array.from({ length: count }, (_, n) => `n${n + 1}`),
  )
  t.ok(most <= 2501, `${most} in memory at most`)
  t.strictSame(await database.execute('select * from timer'), [])
})
