/** Live events of turns that commit late, that fail, or whose events cannot be made. */
import t, { type Test } from 'tap'
import { defineActor, type EventBatch, type LiveEvent, type Node } from '../../runtime/mod.ts'
import { holdTable, testDatabase, testNats } from '../support/mod.ts'
import { keyIn } from './support/key_in.ts'
import { startNode } from './support/start_node.ts'
import { until } from './support/wait.ts'

type Say = { n: number }
type Protocol = {
  say: { message: Say; reply: number }
  name: { message: Say; reply: number }
  mumble: { message: Say; reply: number }
  choke: { message: Say; reply: number }
  fail: { message: object; reply: undefined }
  drop: { message: object; reply: null }
  look: { message: object; reply: boolean }
}

/** Publishes numbers in every way, and fails on demand. `decided` is told when a turn is decided. */
function speakerKind({ reads = false, decided = (_n: number) => {} } = {}) {
  const keep = (turn: { state: { n: number }; save(): void }, n: number) => {
    turn.state.n = n
    turn.save()
    decided(n)
    return n
  }
  return defineActor<Protocol, { n: number }>({
    kind: 'speaker',
    ...(reads && { read: async () => undefined }),
    create: () => ({ n: 0 }),
    receive: {
      say(turn, { n }) {
        turn.live('c', () => ({ type: 'said', data: { n } }))
        return keep(turn, n)
      },
      name(turn, { n }) {
        turn.notice('c', { type: 'named', list: 'ids', ids: [`${n}`], most: 3 })
        return keep(turn, n)
      },
      mumble(turn, { n }) {
        turn.live('c', () => {
          throw new Error('no words')
        })
        return keep(turn, n)
      },
      choke(turn, { n }) {
        turn.insert(Never, {})
        return n
      },
      look: (turn) => turn.isWatched('c'),
      drop(turn) {
        turn.dropLive('c')
        turn.save()
        return null
      },
      fail() {
        throw new Error('failed')
      },
    },
    decided() {
      throw new Error('choked')
    },
  })
}
/** An entity of no table: the turn never gets that far. */
class Never {}

const at = (partition: number) => speakerKind().address(keyIn('speaker', 's', partition))

async function watch(t: Test, node: Node) {
  const events: LiveEvent[] = []
  let missed = 0
  const feed = await node.live.open('c', {
    received: (batch: EventBatch) => void events.push(...batch.events),
    missed: () => void missed++,
  })
  t.teardown(() => feed.close())
  await feed.resume(undefined, () => {})
  return { events, missed: () => missed }
}

for (const where of ['the same node', 'another node']) {
  t.test(`W1 who begins to watch on ${where} while a change is being committed hears of it`, async (t) => {
    const { database, url } = await testDatabase(t)
    const nats = await testNats(t)
    let is_decided = false
    const kind = speakerKind({ decided: (n) => (is_decided ||= n === 2) })
    const options = where === 'another node' ? { cluster: {} } : {}
    const one = await startNode(t, { database, nats }, [kind], options)
    const two = where === 'another node' ? await startNode(t, { database, nats }, [kind], options) : one
    if (two !== one) await until(() => one.stats().partitions === 2 && two.stats().partitions === 2)
    const partition = [0, 1, 2, 3].find((partition) => one.isHere(at(partition)))!
    // A node that has just started treats every channel as watched.
    await until(async () => !(await one.ask(at(partition), { type: 'look' })))
    await one.ask(at(partition), { type: 'say', n: 1 })
    const release = await holdTable(t, url, 'actor_state')
    const said = one.ask(at(partition), { type: 'say', n: 2 }, { deadline_ms: 60_000 })
    await until(() => is_decided)
    const watcher = await watch(t, two)
    t.strictSame([watcher.events, watcher.missed()], [[], 0])
    await release()
    t.equal(await said, 2)
    await until(() => watcher.missed() > 0 || watcher.events.length > 0)
  })
}

for (const reads of [false, true]) {
  t.test(`I12 a turn whose end throws is a fault of its message, ${reads ? 'with' : 'without'} reads`, async (t) => {
    const { database } = await testDatabase(t)
    const node = await startNode(t, { database, nats: await testNats(t) }, [speakerKind({ reads })])
    await node.tell(at(0), { type: 'choke', n: 1 })
    await node.tell(at(0), { type: 'say', n: 2 })
    const letters = await until(async () => {
      const found = await database.execute('select message, error from dead_letter')
      return found.length > 0 && found
    })
    t.match(letters, [{ message: { type: 'choke' }, error: /choked/ }])
    t.equal(await node.ask(at(0), { type: 'say', n: 3 }), 3, 'the actor goes on')
    await t.rejects(node.ask(at(0), { type: 'choke', n: 4 }), /choked/)
  })
}

t.test('L4 an event that cannot be made costs its watchers a reading, and not the turn', async (t) => {
  const errors: string[] = []
  const log = { debug() {}, info() {}, warn() {}, error: (_: object, message: string) => void errors.push(message) }
  const { database } = await testDatabase(t)
  const node = await startNode(t, { database, nats: await testNats(t) }, [speakerKind()], { log })
  const watcher = await watch(t, node)
  t.equal(await node.ask(at(0), { type: 'mumble', n: 1 }), 1)
  await until(() => watcher.missed() > 0)
  t.equal(await node.ask(at(0), { type: 'say', n: 2 }), 2)
  await until(() => watcher.events.length > 0)
  t.match(watcher.events, [{ type: 'said', data: { n: 2 } }])
  t.strictSame(errors, ['a live event could not be made; its watchers read again'])
})

t.test('notices of several turns are one event, also when the actor has failed since', async (t) => {
  const { database } = await testDatabase(t)
  const node = await startNode(t, { database, nats: await testNats(t) }, [speakerKind()])
  const watcher = await watch(t, node)
  for (const n of [1, 2, 2]) await node.ask(at(0), { type: 'name', n })
  await t.rejects(node.ask(at(0), { type: 'fail' }), /failed/)
  await until(() => watcher.events.length > 0)
  t.strictSame(watcher.events, [{ type: 'named', data: { ids: ['1', '2'] } }])
  for (let n = 10; n < 14; n++) await node.ask(at(0), { type: 'name', n })
  await until(() => watcher.events.length > 1)
  t.match(watcher.events.at(-1), { type: 'named' })
})

t.test('notices that are gathered when their channel is dropped name nobody any more', async (t) => {
  const { database } = await testDatabase(t)
  const node = await startNode(t, { database, nats: await testNats(t) }, [speakerKind()])
  const watcher = await watch(t, node)
  for (const n of [1, 2]) await node.ask(at(0), { type: 'name', n })
  await node.ask(at(0), { type: 'drop' })
  await node.ask(at(0), { type: 'name', n: 3 })
  await until(() => watcher.events.length > 0)
  t.strictSame(watcher.events, [{ type: 'named', data: { ids: ['3'] } }])
})

t.test('notices that are gathered when a node stops are published', async (t) => {
  const { database } = await testDatabase(t)
  const nats = await testNats(t)
  const one = await startNode(t, { database, nats }, [speakerKind()], { cluster: {} })
  const two = await startNode(t, { database, nats }, [speakerKind()], { cluster: {} })
  await until(() => one.stats().partitions === 2 && two.stats().partitions === 2)
  const watcher = await watch(t, two)
  const partition = [0, 1, 2, 3].find((partition) => one.isHere(at(partition)))!
  await one.ask(at(partition), { type: 'name', n: 1 })
  await one.stop(1000)
  await until(() => watcher.events.length > 0)
  t.strictSame(watcher.events, [{ type: 'named', data: { ids: ['1'] } }])
})
