/**
 * I15 Without the lease another node may own a partition, and the database may be about to lose what that node has
 * stored. So a node without the lease uses nothing that it has read: no state of an actor, and no rows for a turn.
 */
import t, { type Test } from 'tap'
import { defineActor, type Message } from '../../runtime/mod.ts'
import type { Store } from '../../runtime/store.ts'
import { bareScheduler } from './support/bare_scheduler.ts'
import { until } from './support/wait.ts'

type Protocol = { add: { message: { n: number }; reply: undefined } }

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
    },
  })
  const store = { readStates: async () => new Map([['x/a', { version: await answer('state') }]]) }
  const bare = bareScheduler({ kinds: [kind], store: store as unknown as Store, leased: () => lease.is_valid })
  t.teardown(() => bare.scheduler.stop())
  let number = 0
  const add = () => bare.tell('x/a', { type: 'add', n: ++number } as Message)
  const commit = async () => bare.commit(await bare.turn())
  /** The lease ends before the answer to the next question, while the database is another node's. */
  const loseBeforeAnswer = (name: string) => {
    stored.version = 'lost'
    between.run = () => {
      if (reads.at(-1) !== name) return
      lease.is_valid = false
      between.run = undefined
    }
  }
  return { lease, stored, used, reads, add, commit, loseBeforeAnswer }
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
