/** A partition is given away while an actor of it waits for rows that others hold. */
import t, { type Test } from 'tap'
import type { Store } from '../../runtime/commit/store.ts'
import { defineActor } from '../../runtime/mod.ts'
import { systemClock } from '../../runtime/time/clock.ts'
import { bareScheduler } from './support/bare_scheduler.ts'

const kind = defineActor<{ add: { message: object; reply: number } }, { n: number }>({
  kind: 'counter',
  create: () => ({ n: 0 }),
  receive: {
    add(turn) {
      turn.save()
      return ++turn.state.n
    },
  },
})

/** Gives an ask to an actor. Time stands still: no wait ends because it took long. */
async function askedActor(t: Test) {
  const { scheduler, turn } = bareScheduler({
    kinds: [kind],
    store: { readStates: async () => new Map() } as unknown as Store,
    clock: { ...systemClock, monotonic: () => 0 },
  })
  t.teardown(() => scheduler.stop())
  const { promise, ...caller } = Promise.withResolvers<unknown>()
  promise.catch(() => {})
  scheduler.deliver('counter/a', 1, { message: { type: 'add' }, origin: 'ask', deadline: 1, ...caller, attempts: 0 })
  const under_way = await turn()
  const block = () =>
    scheduler.outcomes.hindered(under_way, 'blocked', new Error('canceling statement due to lock timeout'))
  return { scheduler, turn, block, answer: promise }
}

t.test('I12 a handover does not wait for an actor that rests before it tries again', async (t) => {
  const { scheduler, block, answer } = await askedActor(t)
  block()
  await scheduler.quiet(new Set([1]), 1)
  scheduler.lost(1)
  await t.rejects(answer, { name: 'Moved' }, 'the next owner is asked at once')
})

t.test('I12 a handover does not wait for an actor that tries again', async (t) => {
  const { scheduler, turn, block, answer } = await askedActor(t)
  block()
  const again = await turn()
  await scheduler.quiet(new Set([1]), 1)
  scheduler.lost(1)
  scheduler.outcomes.fenced(again)
  await t.rejects(answer, { name: 'Moved' }, 'the next owner is asked once the turn is known to be undone')
})

t.test('I12 a handover goes on when an actor that it waits for is blocked', async (t) => {
  const { scheduler, block, answer } = await askedActor(t)
  const quiet = scheduler.quiet(new Set([1]), 1)
  block()
  await quiet
  scheduler.lost(1)
  await t.rejects(answer, { name: 'Moved' })
})
