import t from 'tap'
import { FairSlots } from '../../runtime/mod.ts'

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

t.test('ten thousand requests of an owner delay a single one of another by one piece of work', async (t) => {
  const slots = new FairSlots(1)
  const order: string[] = []
  const work = async (owner: string) => {
    const free = await slots.take(owner)
    order.push(owner)
    free()
  }
  const free = await slots.take('flood')
  const all = Array.from({ length: 10_000 }, () => work('flood'))
  all.push(work('single'))
  free()
  await Promise.all(all)
  t.ok(order.indexOf('single') <= 1)
  t.equal(order.length, 10_001)
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

t.test('an owner that holds its share leaves the other places free', async (t) => {
  const slots = new FairSlots(2, { max_of_one: 1 })
  const free = await slots.take('a')
  const waiting = Array.from({ length: 10_000 }, () => slots.take('a'))
  for (const owner of ['b', 'c', 'b']) (await slots.take(owner))()
  t.strictSame([slots.taken, slots.waiting], [1, 10_000])
  free()
  for (const next of waiting) (await next)()
  t.strictSame([slots.taken, slots.waiting], [0, 0])
})

t.test('the owner of most requests makes room in a full line', async (t) => {
  const slots = new FairSlots(1, { max_waiting: 4, max_waiting_of_one: 3 })
  const outcomes: string[] = []
  const take = async (owner: string) => {
    try {
      const free = await slots.take(owner)
      outcomes.push(owner)
      free()
    } catch (error) {
      outcomes.push(`${owner} ${(error as Error).name}`)
    }
  }
  const free = await slots.take('a')
  const all = [...'aaaabcb'].map(take)
  await t.resolves(Promise.all([all[3], all[2], all[6]]))
  t.strictSame(outcomes, ['a SlotsFull', 'a SlotsFull', 'b SlotsFull'], 'each refused at once')
  free()
  await Promise.all(all)
  t.strictSame(outcomes.slice(3), ['a', 'b', 'c', 'a'])
})
