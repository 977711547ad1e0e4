/**
 * I15 Without the lease another node may own a partition, and the database may be about to lose what that node has
 * stored. So a node without the lease uses no state that it has read.
 */
import t from 'tap'
import type { Store } from '../../runtime/commit/store.ts'
import { defineActor } from '../../runtime/mod.ts'
import { bareScheduler } from './support/bare_scheduler.ts'
import { until } from './support/wait.ts'

type Protocol = { add: { message: object; reply: undefined } }

t.test('I15 a state read while the lease ends is not used', async (t) => {
  let is_leased = true
  let version = 'lost'
  let reads = 0
  const used: string[] = []
  const kind = defineActor<Protocol, { version: string }>({
    kind: 'x',
    create: () => ({ version: 'none' }),
    receive: {
      add(turn) {
        used.push(turn.state.version)
        turn.save()
      },
    },
  })
  const readStates = async () => {
    const read = version
    await new Promise(setImmediate)
    // The lease ends between the first question and its answer.
    if (++reads === 1) is_leased = false
    return new Map([['x/a', { version: read }]])
  }
  const store = { readStates } as unknown as Store
  const { scheduler, turn, tell } = bareScheduler({ kinds: [kind], store, leased: () => is_leased })
  t.teardown(() => scheduler.stop())
  tell('x/a', { type: 'add' })
  tell('x/a', { type: 'add' })
  await until(() => !is_leased)
  version = 'ours'
  is_leased = true
  t.equal((await turn()).entries.length, 2)
  t.same(used, ['ours', 'ours'])
  t.equal(reads, 2, 'it was read again')
})
