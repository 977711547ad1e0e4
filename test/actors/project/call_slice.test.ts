/** The slices of a call are the whole call, in its order, and none is large. */
import fc from 'fast-check'
import t from 'tap'
import { MAX_OF_TURN, sliceOf } from '../../../actors/project/inbound/call_slice.ts'
import type { InboundCall } from '../../../actors/project/inbound/raw_call.ts'
import type { CallItem } from '../../../actors/project/turn/call_item.ts'

const channel = { id: 'c' } as CallItem['channel']

/** A history of so many parts, or a message where it is undefined. */
function callOf(sizes: (number | undefined)[]): InboundCall {
  let entry = 0
  const said = sizes.map((size): unknown => {
    if (size === undefined) return { channel, item: { kind: 'message', provider_message_id: String(++entry) } }
    const parts = Array.from({ length: size }, () => ({ user_id: String(++entry), count: 1, content: {} }))
    return { channel, item: { kind: 'history', phase: 1, progress: 100, error: null, parts } }
  })
  return { answer: { status: 200, body: 'ok' }, said: said as CallItem[] }
}

function entriesOf({ said }: InboundCall): (string | null)[] {
  return said.flatMap(({ item }) => {
    if (item.kind === 'history') return item.parts.map(({ user_id }) => user_id)
    return item.kind === 'message' ? [item.provider_message_id] : []
  })
}

/** All slices, as an asker gets them. */
function slicesOf(call: InboundCall): InboundCall[] {
  const slices: InboundCall[] = []
  let from: number | undefined = 0
  while (from !== undefined) {
    const slice: InboundCall = sliceOf(call, from)
    slices.push(slice)
    from = slice.answer.next
  }
  return slices
}

const sizes = fc.array(fc.option(fc.integer({ min: 0, max: 7_000 }), { nil: undefined }), { maxLength: 20 })

t.test('the slices of a call have each entry once, in order', (t) => {
  fc.assert(
    fc.property(sizes, (sizes) => {
      const call = callOf(sizes)
      const slices = slicesOf(call)
      t.same(slices.flatMap(entriesOf), entriesOf(call))
      for (const slice of slices) t.ok(entriesOf(slice).length <= MAX_OF_TURN)
      // Each history says once how far it has come: with its last part, or its only mention.
      const told = slices.flatMap(({ said }) =>
        said.filter(({ item }) => item.kind === 'history' && item.progress === 100),
      )
      t.equal(told.length, sizes.filter((size) => size !== undefined).length)
    }),
    { numRuns: 50 },
  )
  t.end()
})

t.test('a call of as many rows as a turn takes has one slice', (t) => {
  for (const [sizes, count] of [
    [[MAX_OF_TURN], 1],
    [[MAX_OF_TURN + 1], 2],
    [[MAX_OF_TURN, undefined], 2],
    [Array(MAX_OF_TURN / 3).fill(undefined), 1],
    [Array(MAX_OF_TURN / 3 + 1).fill(undefined), 2],
    [[0, 0], 1],
    [[], 1],
  ] as const)
    t.equal(slicesOf(callOf([...sizes])).length, count, `${sizes.slice(0, 3)}`)
  t.end()
})

t.test('a history is not at its end before its last part is stored', (t) => {
  const slices = slicesOf(callOf([2 * MAX_OF_TURN + 1]))
  const progress = slices.map(({ said: [one] }) => one?.item.kind === 'history' && one.item.progress)
  t.same(progress, [null, null, 100])
  t.end()
})
