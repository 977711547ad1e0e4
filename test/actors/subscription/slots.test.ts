import t from 'tap'
import { Slots } from '../../../actors/subscription/slots.ts'

const tick = () => new Promise((resolve) => setImmediate(resolve))

t.test('a limited number runs at once, and the others follow in order', async (t) => {
  const slots = new Slots()
  const went: number[] = []
  for (let n = 1; n <= 4; n++) void slots.enter(2).then((may_go) => may_go && went.push(n))
  await tick()
  t.same(went, [1, 2])
  slots.leave(false)
  await tick()
  t.same(went, [1, 2, 3])
  slots.leave(false)
  slots.leave(false)
  slots.leave(false)
  await tick()
  t.same(went, [1, 2, 3, 4])
  t.equal(await slots.enter(1), true, 'all slots are free again')
})

t.test('after a failure all present and later waiters go back until a turn has learnt of it', async (t) => {
  const slots = new Slots()
  t.equal(await slots.enter(1), true)
  const second = slots.enter(1)
  slots.leave(true)
  t.equal(await second, false)
  t.equal(await slots.enter(1), true, 'a free slot is a free slot')
  t.equal(await slots.enter(1), false)
  slots.learnt()
  const third = slots.enter(1)
  slots.leave(false)
  t.equal(await third, true)
  slots.leave(false)
})
