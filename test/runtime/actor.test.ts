/**
 * An actor and the failures of its turns, its slow work and its asks. One file, because one kind of actor that fails in
 * every way on demand serves all tests.
 */
import t, { type Test } from 'tap'
import { defineActor, type NodeOptions, Refusal, type Turn, Unavailable } from '../../runtime/mod.ts'
import { testDatabase, testNats } from '../support/mod.ts'
import { linkKind, upTo } from './support/links.ts'
import { startNode } from './support/start_node.ts'
import { tapped } from './support/tapped.ts'
import { TurnedClock } from './support/turned_clock.ts'
import { until } from './support/wait.ts'

type State = { n: number }
type Reply = { message: { n?: number }; reply: number }
type Protocol = {
  add: Reply
  read: Reply
  throw: Reply
  refuse: Reply
  refuse_late: Reply
  unserialisable: Reply
  nul: Reply
  work: { message: { fails?: boolean }; reply: number }
  worked: { message: object; reply: undefined }
  wake: { message: object; reply: undefined }
  hold: { message: object; reply: undefined }
  soon: Reply
}
type T = Turn<State>

/** Makes a counter that fails in every way on demand. Its slow work waits for `release` of the test. */
function faultyKind({ release = Promise.resolve(), log = [] as string[], limits = {} } = {}) {
  const add = (turn: T) => {
    turn.state.n++
    turn.save()
    return turn.state.n
  }
  return defineActor<Protocol, State>({
    kind: 'faulty',
    create: () => ({ n: 0 }),
    ...limits,
    receive: {
      add,
      read: (turn) => turn.state.n,
      throw: (turn) => {
        add(turn)
        throw new Error('poison \0 \ud800')
      },
      refuse: () => {
        throw new Refusal('NOT_NOW', { details: { why: 'because' } })
      },
      refuse_late: (turn) => {
        add(turn)
        throw new Refusal('TOO_LATE')
      },
      unserialisable: (turn) => {
        ;(turn.state as unknown as { self: unknown }).self = turn.state
        return add(turn)
      },
      nul: (turn) => {
        turn.tell('faulty/other', { type: 'add', text: 'a\0b' } as never)
        return add(turn)
      },
      work(turn, { fails }) {
        turn.awake(true)
        turn.work(async (signal) => {
          signal.addEventListener('abort', () => log.push('aborted'))
          await release
          if (fails) throw new Error('work failed')
          return { type: 'worked' }
        })
        return add(turn)
      },
      worked: () => void log.push('worked'),
      wake: () => void log.push('wake'),
      hold: () => undefined,
      soon: (turn) => {
        turn.soon(0, { type: 'add' })
        return turn.state.n
      },
    },
  })
}

async function start(t: Test, kind = faultyKind(), options: Partial<NodeOptions> = {}) {
  const { database } = await testDatabase(t)
  const nats = await testNats(t)
  const node = await startNode(t, { database, nats }, [kind, linkKind()], options)
  const letters = () => database.execute('select address, sender, message, error from dead_letter order by id')
  return { database, nats, node, letters, a: kind.address('a') }
}

t.test('I12 a message that faults is parked with its error, its neighbours are applied in order', async (t) => {
  const { node, letters, a, database } = await start(t)
  for (const type of ['add', 'throw', 'add', 'unserialisable', 'refuse', 'nul', 'refuse_late', 'add'] as const) {
    await node.tell(a, { type: type as 'add' })
  }
  const parked = await until(async () => {
    const found = await letters()
    return found.length === 5 && found
  })
  t.equal(await node.ask(a, { type: 'add' }), 4)
  t.match(
    parked.map(({ message, error }) => [message, error]),
    [
      [{ type: 'throw' }, /poison \ufffd \ufffd/],
      [{ type: 'unserialisable' }, /circular/],
      [{ type: 'refuse' }, /^NOT_NOW/],
      [{ type: 'nul' }, /Unicode/],
      [{ type: 'refuse_late' }, /^TOO_LATE/],
    ],
  )
  t.strictSame(await database.execute('select * from outbox'), [])
  await until(() => node.stats().inboxes.waiting === 0)
})

t.test('I12 a fault answers its own asker, and nobody else', async (t) => {
  const { node, letters, a } = await start(t)
  const asked = ['add', 'throw', 'add', 'refuse', 'unserialisable', 'refuse_late', 'nul', 'add'] as const
  const answers = await Promise.all(asked.map((type) => node.ask(a, { type }).catch((error) => error)))
  t.strictSame(
    answers.map((answer) => (answer instanceof Error ? answer.name : answer)),
    [1, 'Error', 2, 'Refusal', 'TypeError', 'Refusal', 'DriverException', 3].map((name, i) =>
      i === 6 ? answers[6].name : name,
    ),
  )
  t.match(answers[3], { code: 'NOT_NOW', details: { why: 'because' } })
  t.match(answers[6], { code: '22P05' })
  t.strictSame(await letters(), [])
})

t.test('I12 a tell for a kind or of a type that this version does not know waits, and asks go on', async (t) => {
  const { node, letters, a, database } = await start(t)
  await node.tell('nobody/x', { type: 'add' } as never)
  await node.tell(a, { type: 'add' })
  await node.tell(a, { type: 'unheard_of' } as never)
  await node.tell(a, { type: 'add' })
  await until(() => node.stats().scheduler.held === 2)
  t.equal(await node.ask(a, { type: 'add' }), 2, 'what came before was applied, what came after waits behind')
  t.strictSame(await letters(), [])
  t.equal((await database.execute('select * from outbox')).length, 3)
  await t.rejects(node.ask(a, { type: 'unheard_of' } as never), /cannot do this right now/)
  await t.rejects(node.tell(a, { type: 'add', text: '\0' } as never), { code: '22P05' }, 'the teller hears of it')
  await t.rejects(node.tell('no address' as never, { type: 'add' }), TypeError)
  await t.rejects(node.ask('nobody/x', { type: 'add' } as never), /cannot do this right now/)
})

t.test('I12 an actor that cannot be loaded does not keep others away', async (t) => {
  const kind = defineActor<{ add: Reply }, State>({
    kind: 'heavy',
    create: (key) => {
      if (key === 'unborn') throw new Error('cannot be created')
      return { n: 0 }
    },
    load: async (keys) => {
      if (keys.includes('broken')) throw new Error('cannot be loaded')
      return new Map()
    },
    receive: { add: (turn) => ++turn.state.n },
  })
  const { database } = await testDatabase(t)
  const node = await startNode(t, { database, nats: await testNats(t) }, [kind])
  const ask = (key: string) => node.ask(kind.address(key), { type: 'add' }).catch((error) => error.message)
  t.strictSame(await Promise.all(['good', 'broken', 'better', 'unborn'].map(ask)), [
    1,
    'cannot be loaded',
    1,
    'cannot be created',
  ])
  await node.tell(kind.address('broken'), { type: 'add' })
  await until(async () => (await database.execute('select 1 from dead_letter')).length === 1)
})

t.test('I12 reads that fail harm their own message only; trouble with the database parks nothing', async (t) => {
  let trouble = 0
  const kind = defineActor<{ add: { message: { bad?: boolean }; reply: number } }, State>({
    kind: 'reader',
    create: () => ({ n: 0 }),
    async read(messages, { database }) {
      if (messages.some((message) => message.bad)) throw new Error('cannot be read')
      await database.execute('select 1 as reading')
    },
    receive: { add: (turn) => ++turn.state.n },
  })
  const { database: real } = await testDatabase(t)
  const database = tapped(real, (sql, run) => {
    if (!sql.includes('reading') || trouble-- <= 0) return run()
    return Promise.reject(new Error('Connection terminated unexpectedly'))
  })
  const node = await startNode(t, { database, nats: await testNats(t) }, [kind])
  const ask = (bad: boolean) => node.ask(kind.address('a'), { type: 'add', bad }).catch((error) => error.message)
  t.strictSame(await Promise.all([ask(false), ask(true), ask(false)]), [1, 'cannot be read', 2])
  trouble = 4
  await node.tell(kind.address('a'), { type: 'add' })
  await until(() => trouble <= 0)
  t.equal(await ask(false), 4)
  t.strictSame(await real.execute('select * from dead_letter'), [])
})

t.test('I10 one turn at a time: an actor never sees what another turn of it has not committed', async (t) => {
  let turns = 0
  let most = 0
  const kind = defineActor<{ add: Reply }, State>({
    kind: 'slow',
    create: () => ({ n: 0 }),
    turn_limit: 3,
    async read() {
      most = Math.max(most, ++turns)
      await new Promise(setImmediate)
    },
    receive: {
      add: (turn) => {
        turn.save()
        turn.after(() => {
          turns = 0
        })
        return ++turn.state.n
      },
    },
  })
  const { database } = await testDatabase(t)
  const node = await startNode(t, { database, nats: await testNats(t) }, [kind])
  t.strictSame(await Promise.all(upTo(50).map(() => node.ask(kind.address('a'), { type: 'add' }))), upTo(50))
  t.equal(most, 1)
})

t.test('I10 a message of a type that takes a turn alone shares it with no other', async (t) => {
  const turns: string[][] = []
  const read = async (messages: { type: string }[]) => void turns.push(messages.map(({ type }) => type))
  const { node, a } = await start(t, faultyKind({ limits: { alone: ['hold'], read } }))
  const types = ['add', 'add', 'hold', 'hold', 'add', 'add', 'hold', 'add'] as const
  await Promise.all(types.map((type) => node.ask(a, { type: type as 'add' })))
  t.same(turns.flat(), types, 'the order stays')
  t.ok(turns.every((turn) => turn.length === 1 || !turn.includes('hold')))
  t.ok(
    turns.some(({ length }) => length > 1),
    'the others share turns',
  )
})

t.test('I11 slow work of an undone turn is aborted, its result dropped, and the actor woken', async (t) => {
  const log: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const { node, a } = await start(t, faultyKind({ log, release: promise }))
  t.equal(await node.ask(a, { type: 'work' }), 1)
  await t.rejects(node.ask(a, { type: 'throw' }), /poison/)
  resolve()
  t.equal(await node.ask(a, { type: 'add' }), 2)
  t.strictSame(log, ['aborted', 'wake'])
})

t.test('slow work: its result is a message to self, its failure wakes the actor', async (t) => {
  const log: string[] = []
  const { node, a } = await start(t, faultyKind({ log }))
  await node.ask(a, { type: 'work' })
  await until(() => log.includes('worked'))
  await node.ask(a, { type: 'work', fails: true })
  await until(() => log.includes('wake'))
  t.equal(await node.ask(a, { type: 'read' }), 2)
})

t.test('I13 an ask whose deadline passed before its turn is answered Unavailable and not applied', async (t) => {
  const clock = new TurnedClock()
  const gate = Promise.withResolvers<void>()
  const kind = defineActor<{ add: Reply }, State>({
    kind: 'gated',
    create: () => ({ n: 0 }),
    read: async () => {
      await gate.promise
      return undefined
    },
    receive: { add: (turn) => ++turn.state.n },
  })
  const { database } = await testDatabase(t)
  const node = await startNode(t, { database, nats: await testNats(t) }, [kind], { clock })
  const a = kind.address('a')
  const first = node.ask(a, { type: 'add' }, { deadline_ms: 60_000 })
  const late = node.ask(a, { type: 'add' }, { deadline_ms: 500 })
  await new Promise(setImmediate)
  clock.turn(1000)
  await t.rejects(late, Unavailable)
  gate.resolve()
  t.equal(await first, 1)
  t.equal(await node.ask(a, { type: 'add' }, { deadline_ms: 1000 }), 2)
})

t.test('a full mailbox answers at once', async (t) => {
  const { node, a } = await start(t, faultyKind({ limits: { mailbox_limit: 10 } }))
  const answers = await Promise.all(upTo(30).map(() => node.ask(a, { type: 'add' }).catch((error) => error)))
  t.equal(answers.filter((answer) => answer instanceof Unavailable).length, 20)
  t.equal(await node.ask(a, { type: 'read' }), 10)
})

t.test('an idle actor leaves memory and comes back as it was; one with work stays', async (t) => {
  const clock = new TurnedClock()
  const gate = Promise.withResolvers<void>()
  const kind = faultyKind({ release: gate.promise })
  const { node, a } = await start(t, kind, { clock, idle_ms: 200 })
  await node.ask(a, { type: 'add' })
  await node.ask(kind.address('busy'), { type: 'work' })
  t.equal(node.stats().resident, 2)
  clock.turn(1000)
  await until(() => node.stats().resident === 1)
  t.equal(await node.ask(a, { type: 'add' }), 2)
  gate.resolve()
  await until(() => {
    clock.turn(1000)
    return node.stats().resident === 0
  })
})

t.test(
  'a graceful stop finishes what it took in, writes behind what is due, and answers the rest Unavailable',
  async (t) => {
    const { database, nats, node, a } = await start(t)
    const kind = faultyKind()
    await node.ask(a, { type: 'soon' })
    const asks = upTo(20).map(() => node.ask(a, { type: 'add' }))
    const stopping = node.stop()
    t.equal((await Promise.all(asks)).length, 20)
    await t.rejects(node.ask(a, { type: 'add' }), Unavailable)
    await t.rejects(node.tell(a, { type: 'add' }), Unavailable)
    await stopping
    t.strictSame(await database.execute('select id from partition where owner is not null'), [])
    const next = await startNode(t, { database, nats }, [kind])
    t.equal(await next.ask(a, { type: 'read' }), 21)
  },
)

t.test('a node that cannot start leaves nothing behind', async (t) => {
  const { database } = await testDatabase(t)
  const { url, prefix } = await testNats(t)
  // A node would wait for a server that does not listen, so this one refuses the password.
  const wrong = url.replace(/\/\/[^@]*@/g, '//wrong@')
  t.not(wrong, url)
  await t.rejects(startNode(t, { database, nats: { url: wrong, prefix } }, []), /authorization/i)
})
