import t from 'tap'
import { Breaker } from '../../../actors/channel/breaker.ts'

t.test('opens after five failures of three recipients, and longer each time', async (t) => {
  const breaker = new Breaker()
  t.equal(breaker.failed('a', 1, 10), undefined)
  t.equal(breaker.failed('b', 1, 10), undefined)
  t.equal(breaker.failed('c', 1, 10), undefined)
  t.equal(breaker.failed('a', 1, 10), undefined)
  t.notOk(breaker.is_half_open)
  t.equal(breaker.failed('a', 1, 10), 1000)
  t.ok(breaker.is_half_open)
  t.equal(breaker.failed('b', 9, 12), undefined, 'it was under way when the breaker opened')
  const pauses = [1020, 3030, 8000, 20_000, 50_000, 100_000, 200_000].map((at) => breaker.failed('a', at, at + 1))
  t.same(pauses, [2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
})

t.test('failures of one recipient stop nobody else', async (t) => {
  const breaker = new Breaker()
  for (let i = 0; i < 50; i++) t.equal(breaker.failed(i % 2 ? 'a' : 'b', i, i), undefined)
})

t.test('any answer closes it', async (t) => {
  const breaker = new Breaker()
  for (const recipient of ['a', 'b', 'c', 'd']) breaker.failed(recipient, 1, 1)
  breaker.answered()
  t.equal(breaker.failed('e', 1, 1), undefined, 'it counts anew')
  for (const recipient of ['a', 'b', 'c', 'd']) breaker.failed(recipient, 2, 2)
  t.ok(breaker.is_half_open)
  breaker.answered()
  t.notOk(breaker.is_half_open)
})
