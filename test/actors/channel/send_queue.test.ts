import fc from 'fast-check'
import t from 'tap'
import { SendQueue } from '../../../actors/channel/send_queue.ts'
import type { Dispatch } from '../../../storage/mod.ts'

const dispatch = (message_id: string, recipient: string, is_bulk = false) =>
  ({ message_id, recipient, is_bulk, state: 'queued' }) as Dispatch

t.test(
  'a message that somebody waits for goes before bulk, and pulls along the earlier bulk to its recipient',
  async (t) => {
    const queue = new SendQueue()
    for (const [id, recipient, is_bulk] of [
      ['1', 'a', true],
      ['2', 'b', true],
      ['3', 'c', false],
      ['4', 'b', false],
    ] as const) {
      queue.add(dispatch(id, recipient, is_bulk))
      queue.place(recipient, null)
    }
    const order: string[] = []
    for (let item = queue.next(); item; item = queue.next()) {
      order.push(item.dispatch.message_id)
      queue.remove(item)
      queue.place(item.dispatch.recipient, null)
    }
    t.same(order, ['3', '2', '4', '1'])
    t.equal(queue.size, 0)
  },
)

t.test('broadcasts take turns, however much the earlier ones have queued', async (t) => {
  const queue = new SendQueue()
  const add = (broadcast_id: string, ...numbers: number[]) => {
    for (const number of numbers) {
      queue.add({ ...dispatch(`${broadcast_id}${number}`, `${broadcast_id}${number}`, true), broadcast_id })
      queue.place(`${broadcast_id}${number}`, null)
    }
  }
  const take = (count: number) => Array.from({ length: count }, () => queue.next()!.dispatch.message_id)
  add('a', 1, 2, 3, 4, 5)
  t.same(take(1), ['a1'])
  add('b', 1, 2)
  add('c', 1)
  t.same(take(4), ['a2', 'b1', 'c1', 'a3'])
  add('c', 2)
  t.same(take(4), ['b2', 'a4', 'c2', 'a5'])
  t.notOk(queue.has_ready)
})

t.test('a recipient who has to wait comes back at its time', async (t) => {
  const queue = new SendQueue()
  for (const [id, at] of [
    ['a', 50],
    ['b', 70],
    ['c', 60],
  ] as const) {
    queue.add(dispatch(id, id))
    queue.place(id, at)
  }
  t.notOk(queue.has_ready)
  t.same(queue.due(49), { recipients: [], next: 50 })
  t.same(queue.due(60), { recipients: ['a', 'c'], next: 70 })
  t.same(queue.due(60), { recipients: [], next: 70 }, 'each once')
})

t.test('each recipient in the order accepted, whatever happens in between', async () => {
  const event = fc.oneof(
    fc.record({ do: fc.constant('add' as const), recipient: fc.constantFrom('a', 'b', 'c'), is_bulk: fc.boolean() }),
    fc.record({ do: fc.constantFrom('next' as const, 'again' as const, 'done' as const, 'time' as const) }),
  )
  fc.assert(
    fc.property(fc.array(event, { maxLength: 200 }), (events) => {
      const queue = new SendQueue()
      const ended = new Map<string, number[]>()
      const running: NonNullable<ReturnType<SendQueue['next']>>[] = []
      let number = 0
      let now = 0
      for (const one of events) {
        now++
        if (one.do === 'add') {
          queue.add(dispatch(String(++number), one.recipient, one.is_bulk))
          // A recipient whose first message waits goes on waiting. Only new messages are placed.
          if (queue.head(one.recipient)!.phase === 'queued') queue.place(one.recipient, null)
        } else if (one.do === 'next') {
          const item = queue.next()
          if (!item) continue
          if (item.phase === 'attempting' || queue.head(item.dispatch.recipient) !== item) return false
          item.phase = 'attempting'
          running.push(item)
        } else if (one.do === 'time') {
          for (const recipient of queue.due(now).recipients) queue.place(recipient, null)
        } else {
          const item = running.shift()
          if (!item) continue
          const { recipient, message_id } = item.dispatch
          if (one.do === 'again') {
            item.phase = 'queued'
            queue.place(recipient, now + 5)
          } else {
            queue.remove(item)
            queue.place(recipient, null)
            ended.set(recipient, [...(ended.get(recipient) ?? []), Number(message_id)])
          }
        }
      }
      return [...ended.values()].every((ids) => ids.every((id, i) => i === 0 || id > ids[i - 1]!))
    }),
  )
})
