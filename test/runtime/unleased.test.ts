/**
 * I15 Without the lease another node may own a partition, and the database may be about to lose what that node has
 * stored. So a node without the lease uses nothing that it has read: no state of an actor, and no rows for a turn.
 */
import t, { type Test } from 'tap'
import { defineActor } from '../../runtime/mod.ts'
import type { Store } from '../../runtime/store.ts'
import { bareScheduler } from './support/bare_scheduler.ts'
import { until } from './support/wait.ts'

type Protocol = Record<'add' | 'fail', { message: { n: number }; reply: undefined }>

/** A scheduler whose database answers, and whose lease comes and goes, when the test says so. */
function makeScheduler(t: Test) {
  const lease = { is_valid: true }
  const stored = { version: 'ours' }
  const used: string[] = []
  const reads: string[] = []
  /** Called between a question to the database and its answer. */
  const between: { run?: (() => void) | undefined } = {}
  const answer = async (name: string) => {
    reads.push(name)
    const { version } = stored
    await new Promise(setImmediate)
    between.run?.()
    return version
  }
  const kind = defineActor<Protocol, { version: string }, string>({
    kind: 'x',
    create: () => ({ version: 'none' }),
    read: () => answer('rows'),
    receive: {
      add(turn, { n }) {
        used.push(`${n}: state ${turn.state.version}, rows ${turn.records}`)
        turn.save()
      },
      fail(_, { n }) {
        used.push(`${n}: failed`)
        throw new Error('its own fault')
      },
    },
  })
  const store = { readStates: async () => new Map([['x/a', { version: await answer('state') }]]) }
  const bare = bareScheduler({ kinds: [kind], store: store as unknown as Store, leased: () => lease.is_valid })
  t.teardown(() => bare.scheduler.stop())
  let number = 0
  /** Messages that were told and are neither applied nor let go. */
  const waiting = new Set<number>()
  const add = (type = 'add') => {
    const n = ++number
    waiting.add(n)
    const release = () => void waiting.delete(n)
    const message = { type, n }
    bare.scheduler.deliver('x/a', 1, { message, origin: 'tell', source: 1, number, attempts: 0, release })
  }
  const ask = (ms: number) =>
    new Promise((resolve, reject) => {
      const message = { type: 'add', n: ++number }
      const deadline = performance.now() + ms
      bare.scheduler.deliver('x/a', 1, { message, origin: 'ask', deadline, resolve, reject, attempts: 0 })
    })
  const commit = async () => {
    const turn = await bare.turn()
    bare.commit(turn)
    return turn
  }
  /** The lease ends before the answer to the next question, while the database is another node's. */
  const loseBeforeAnswer = (name: string) => {
    stored.version = 'lost'
    between.run = () => {
      if (reads.at(-1) !== name) return
      lease.is_valid = false
      between.run = undefined
    }
  }
  return { scheduler: bare.scheduler, lease, stored, used, reads, waiting, add, ask, commit, loseBeforeAnswer }
}

for (const name of ['state', 'rows'] as const)
  t.test(`I15 ${name} read while the lease ends are not used`, async (t) => {
    const { lease, stored, used, reads, add, commit, loseBeforeAnswer } = makeScheduler(t)
    if (name === 'rows') {
      add()
      await commit()
      used.length = 0
    }
    loseBeforeAnswer(name)
    add()
    add()
    await until(() => !lease.is_valid)
    stored.version = 'ours'
    lease.is_valid = true
    await commit()
    const first = name === 'rows' ? 2 : 1
    t.same(used, [`${first}: state ours, rows ours`, `${first + 1}: state ours, rows ours`], 'in order, each once')
    t.equal(reads.filter((read) => read === name).length, name === 'rows' ? 3 : 2, 'they were read again')
  })

t.test('I15 a node without the lease does not ask for rows', async (t) => {
  const { lease, used, reads, add, commit } = makeScheduler(t)
  add()
  await commit()
  lease.is_valid = false
  reads.length = 0
  add()
  await new Promise((resolve) => setTimeout(resolve, 20))
  t.same(reads, [])
  lease.is_valid = true
  await commit()
  t.same(reads, ['rows'])
  t.equal(used.length, 2)
})

t.test('I13 a question whose deadline passes while its turn waits for the lease is not applied', async (t) => {
  const { lease, used, add, ask, commit } = makeScheduler(t)
  add()
  await commit()
  lease.is_valid = false
  used.length = 0
  const asked = ask(10)
  add()
  await t.rejects(asked, { message: 'The answer did not come in time.' })
  lease.is_valid = true
  await commit()
  t.same(used, ['3: state ours, rows ours'])
})

t.test('I11 a partition that is lost while a turn waits for the lease takes its messages with it', async (t) => {
  const { scheduler, lease, used, waiting, add, ask, commit } = makeScheduler(t)
  add()
  await commit()
  lease.is_valid = false
  used.length = 0
  add()
  add()
  const asked = ask(60_000)
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  scheduler.lost(1)
  await t.rejects(asked, 'the caller asks elsewhere')
  t.equal(waiting.size, 0, 'their places are free')
  t.equal(scheduler.resident, 0)
  lease.is_valid = true
  add()
  await commit()
  t.same(used, ['5: state ours, rows ours'], 'the wait of the former turn begins nothing')
})

t.test('a partition is given away while a turn waits for the lease', async (t) => {
  const { scheduler, lease, waiting, add, commit } = makeScheduler(t)
  add()
  await commit()
  lease.is_valid = false
  add()
  add()
  await scheduler.quiet(new Set([1]), 1)
  t.equal(waiting.size, 0, 'the next owner reads them from the outbox')
})

t.test('I12 only the message at fault is parked when the lease ends while messages are tried alone', async (t) => {
  const { lease, waiting, add, commit, loseBeforeAnswer } = makeScheduler(t)
  add()
  await commit()
  add()
  add('fail')
  add()
  const settled: number[] = []
  const parked: string[] = []
  while (waiting.size > 0) {
    // Each turn reads once in vain.
    loseBeforeAnswer('rows')
    await until(() => !lease.is_valid)
    lease.is_valid = true
    const { entries, dead } = await commit()
    settled.push(...entries.map(({ number }) => number!))
    parked.push(...dead.map(({ json }) => json))
  }
  t.same(parked, ['{"type":"fail","n":3}'])
  t.same(settled, [2, 3, 4], 'each once and in order')
})
