/** The slices of a call are the whole call, in its order, and none is large. */
import fc from 'fast-check'
import t from 'tap'
import { MAX_OF_TURN, sliceOf } from '../../../actors/project/inbound/call_slice.ts'
import type { Inbound } from '../../../actors/providers/mod.ts'

/** A history of so many parts, or a message where it is undefined. */
function callOf(sizes: (number | undefined)[]): Inbound[] {
  let entry = 0
  const items = sizes.map((size): unknown => {
    if (size === undefined) return { kind: 'message', provider_message_id: String(++entry) }
    const parts = Array.from({ length: size }, () => ({ user_id: String(++entry), count: 1, content: {} }))
    return { kind: 'history', phase: 1, progress: 100, error: null, parts }
  })
  return items as Inbound[]
}

function entriesOf(items: Inbound[]): (string | null)[] {
  return items.flatMap((item) => {
    if (item.kind === 'history') return item.parts.map(({ user_id }) => user_id)
    return item.kind === 'message' ? [item.provider_message_id] : []
  })
}

/** All slices, as an asker gets them. */
function slicesOf(call: Inbound[]): Inbound[][] {
  const slices: Inbound[][] = []
  let from: number | undefined = 0
  while (from !== undefined) {
    const { taken, next }: ReturnType<typeof sliceOf> = sliceOf(call, from)
    slices.push(taken)
    from = next
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
      const told = slices.flat().filter((item) => item.kind === 'history' && item.progress === 100)
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
  const progress = slices.map(([one]) => one?.kind === 'history' && one.progress)
  t.same(progress, [null, null, 100])
  t.end()
})
