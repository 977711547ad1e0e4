import t from 'tap'
import { FairSlots } from '../../../actors/knowledge/convert/slots.ts'

t.test('an owner with many requests delays another by one piece of work', async (t) => {
  const slots = new FairSlots(1)
  const order: string[] = []
  const work = async (owner: string) => {
    const free = await slots.take(owner)
    order.push(owner)
    free()
  }
  const free = await slots.take('first')
  const all = [...'aaaa'].map(work)
  all.push(work('b'), work('c'), work('b'))
  t.strictSame([slots.taken, slots.waiting], [1, 7])
  free()
  await Promise.all(all)
  t.equal(order.join(''), 'abcabaa')
  t.strictSame([slots.taken, slots.waiting], [0, 0])
})

t.test('a request that is withdrawn takes no place', async (t) => {
  const slots = new FairSlots(1)
  const free = await slots.take('a')
  const abort = new AbortController()
  const withdrawn = slots.take('b', abort.signal)
  const next = slots.take('b')
  abort.abort(new Error('withdrawn'))
  await t.rejects(withdrawn, /withdrawn/)
  await t.rejects(slots.take('b', abort.signal), /withdrawn/)
  free()
  const free_next = await next
  t.strictSame([slots.taken, slots.waiting], [1, 0])
  free_next()
  t.strictSame([slots.taken, slots.waiting], [0, 0])
})
