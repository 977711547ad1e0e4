import fc from 'fast-check'
import t from 'tap'
import { PendingTurn } from '../../runtime/actor/pending_turn.ts'

const pendingTurn = () => new PendingTurn(null, new Date(0), undefined, 8)
const messages = (one: PendingTurn, address: string) =>
  one.sends.filter((send) => send.address === address).map(({ json }) => JSON.parse(json))

t.test('items that a turn gathers for one receiver go in one message', async (t) => {
  const one = pendingTurn()
  for (const n of [1, 2, 3]) {
    one.gather('a/1', 'take', { n })
    one.gather('a/2', 'take', { n: n * 10 })
  }
  t.same(messages(one, 'a/1'), [{ type: 'take', items: [{ n: 1 }, { n: 2 }, { n: 3 }] }])
  t.same(messages(one, 'a/2'), [{ type: 'take', items: [{ n: 10 }, { n: 20 }, { n: 30 }] }])
  t.equal(one.changes, 6, 'each is a change that no refusal may follow')
})

t.test('a message holds a hundred items at most', async (t) => {
  const one = pendingTurn()
  for (let n = 0; n < 250; n++) one.gather('a/1', 'take', { n })
  t.same(
    messages(one, 'a/1').map(({ items }) => items.length),
    [100, 100, 50],
  )
})

t.test('messages and items reach a receiver in the order they were told', async () => {
  const step = fc.record({
    address: fc.constantFrom('a/1', 'a/2'),
    type: fc.constantFrom('x', 'y'),
    gathered: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
      const one = pendingTurn()
      for (const [n, { address, type, gathered }] of steps.entries()) {
        if (gathered) one.gather(address, type, { n })
        else one.tell(address, { type, n } as { type: string })
      }
      return ['a/1', 'a/2'].every((address) => {
        const told = messages(one, address).flatMap(
          ({ items, n }) => items?.map((item: { n: number }) => item.n) ?? [n],
        )
        const expected = [...steps.entries()].filter(([, one]) => one.address === address).map(([n]) => n)
        return JSON.stringify(told) === JSON.stringify(expected)
      })
    }),
  )
})
