import t from 'tap'
import { nextBeat } from '../../../actors/subscription/beat.ts'

t.test('what waits goes on together, and what comes later with the next beat', async (t) => {
  const went: string[] = []
  const first = nextBeat()
  const waiting = Promise.all([first.then(() => went.push('one')), nextBeat().then(() => went.push('two'))])
  await first
  const second = nextBeat()
  t.not(second, first)
  await waiting
  t.same(went, ['one', 'two'])
  await second
})
