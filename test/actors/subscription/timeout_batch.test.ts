import t from 'tap'
import { nextTimeoutBatch } from '../../../actors/subscription/timeout_batch.ts'

t.test('all waiters go on together, and later ones with the next batch', async (t) => {
  const went: string[] = []
  const first = nextTimeoutBatch()
  const waiting = Promise.all([first.then(() => went.push('one')), nextTimeoutBatch().then(() => went.push('two'))])
  await first
  const second = nextTimeoutBatch()
  t.not(second, first)
  await waiting
  t.same(went, ['one', 'two'])
  await second
})
