/** A message carries the request that it came from through turns, gathered items, slow work and timers that name it. */
import t from 'tap'
import { type Cause, causedBy, causeOf, defineActor } from '../../runtime/mod.ts'
import { testDatabase, testNats } from '../support/mod.ts'
import { startNode } from './support/start_node.ts'
import { until } from './support/wait.ts'

type Seen = { as: string; cause: Cause | undefined }
type Protocol = {
  begin: { message: object; reply: undefined }
  take: { message: { as: string }; reply: undefined }
  take_items: { message: { items: { as: string; cause?: Cause }[] }; reply: undefined }
}

function causeKind(seen: Seen[]) {
  return defineActor<Protocol, object>({
    kind: 'cause',
    create: () => ({}),
    receive: {
      begin(turn) {
        const other = 'cause/other' as string
        const { cause } = turn
        turn.tell(other, { type: 'take', as: 'tell' })
        turn.tell(other, { type: 'take', as: 'tell of none', cause: undefined })
        turn.gather(other, 'take_items', { as: 'item of none', cause: undefined })
        turn.work(async () => ({ type: 'take', as: 'work of none' }), { cause: undefined })
        turn.gather(other, 'take_items', { as: 'item' })
        turn.cause = { request_id: 'another' }
        turn.gather(other, 'take_items', { as: 'other item' })
        turn.forward(other, { type: 'take', as: 'kept', cause } as never, null)
        turn.cause = cause
        turn.work(async () => ({ type: 'take', as: 'work' }))
        turn.timer('bare', turn.now, { type: 'take', as: 'timer' } as never)
        turn.timer('named', turn.now, { type: 'take', as: 'named timer', cause } as never)
        turn.save()
      },
      take: (turn, { as }) => void seen.push({ as, cause: turn.cause }),
      take_items: (_turn, { items }) => void seen.push(...items.map(({ as, cause }) => ({ as, cause }))),
    },
  })
}

for (const transport_only of [false, true]) {
  t.test(`a message carries its cause ${transport_only ? 'by the transport' : 'by the short way'}`, async (t) => {
    const seen: Seen[] = []
    const kind = causeKind(seen)
    const { database } = await testDatabase(t)
    const node = await startNode(t, { database, nats: await testNats(t) }, [kind], { transport_only })
    const cause = { request_id: 'req_1', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }
    await causedBy(node, cause).ask(kind.address('one'), { type: 'begin' })
    await until(() => seen.length >= 10)
    const by = new Map(seen.map((one) => [one.as, one.cause]))
    for (const as of ['tell', 'item', 'kept', 'work', 'named timer']) t.strictSame(by.get(as), cause, as)
    t.strictSame(by.get('other item'), { request_id: 'another' }, 'an item has the cause that was assigned for it')
    t.equal(by.get('timer'), undefined, 'a timer may stand for many things')
    for (const as of ['tell of none', 'item of none', 'work of none'])
      t.equal(by.get(as), undefined, `${as}: it does not get that of another one`)
    t.equal(seen.length, 10)

    seen.length = 0
    await node.tell(kind.address('two'), { type: 'take', as: 'bare' })
    await until(() => seen.length > 0)
    t.strictSame(
      seen,
      [{ as: 'bare', cause: undefined }],
      'a message without a cause does not get that of an earlier one',
    )
  })
}

t.test('columns of a row keep a cause', async (t) => {
  t.equal(causeOf({ request_id: null, traceparent: null }), undefined)
  t.equal(causeOf({}), undefined)
  t.strictSame(causeOf({ request_id: 'a', traceparent: null }), { request_id: 'a', traceparent: undefined })
})

t.test('lines about a message that fails name its request', async (t) => {
  const lines: [string, object][] = []
  const note = (fields: object, message: string) => void lines.push([message, fields])
  const log = { debug: note, info: note, warn: note, error: note }
  const kind = defineActor<{ fail: { message: object; reply: undefined } }, object>({
    kind: 'failing',
    create: () => ({}),
    receive: {
      fail() {
        throw new Error('it fails')
      },
    },
  })
  const { database } = await testDatabase(t)
  const node = await startNode(t, { database, nats: await testNats(t) }, [kind], { log })
  await causedBy(node, { request_id: 'req_1' }).tell(kind.address('one'), { type: 'fail' })
  await until(() => lines.some(([message]) => message === 'a message was parked'))
  const of = (message: string) => lines.filter((line) => line[0] === message).map(([, fields]) => fields)
  for (const message of ['a turn failed and was undone', 'a message was parked']) {
    for (const fields of of(message))
      t.match(fields, { address: 'failing/one', type: 'fail', request_id: 'req_1' }, message)
  }
})
