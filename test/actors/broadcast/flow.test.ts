import fc from 'fast-check'
import t from 'tap'
import { nextSlice, room, shareOf, underWay, WINDOW } from '../../../actors/broadcast/flow.ts'
import { type Broadcast, SLICE } from '../../../storage/mod.ts'

const row = (fields: Partial<Broadcast>) => {
  const all = { status: 'sending', total: 5000, taken_up: 0, handed_on: 0, ...fields } as Broadcast
  return { ...all, pending_count: fields.pending_count ?? all.total } as Broadcast
}

t.test('how many may be taken up', (t) => {
  const cases: [string, Broadcast, number, number][] = [
    ['a slice to begin with', row({}), SLICE, SLICE],
    ['a share of it', row({}), 10, 10],
    ['the rest of a slice', row({ taken_up: 170, handed_on: 170 }), SLICE, 30],
    ['the last ones', row({ total: 120, taken_up: 100, handed_on: 100 }), SLICE, 20],
    ['nobody is left', row({ total: 100, taken_up: 100, handed_on: 100 }), SLICE, 0],
    ['a slice is with the project', row({ taken_up: 100, handed_on: 0 }), SLICE, 0],
    ['the window is full', row({ taken_up: WINDOW, handed_on: WINDOW }), SLICE, 0],
    ['a share fits', row({ taken_up: WINDOW, handed_on: WINDOW, pending_count: 4900 }), SLICE, SLICE],
    ['not quite', row({ taken_up: WINDOW, handed_on: WINDOW, pending_count: 4901 }), SLICE, 0],
    ['it has not begun', row({ status: 'queued' }), SLICE, 0],
    ['it is cancelled', row({ status: 'cancelled' }), SLICE, 0],
  ]
  for (const [name, one, share, expected] of cases) t.equal(room(one, share), expected, name)
  t.end()
})

t.test('many broadcasts of a project share a slice', (t) => {
  for (const [together, expected] of [
    [0, 100],
    [1, 100],
    [2, 50],
    [3, 33],
    [10, 10],
    [20, 10],
    [500, 10],
  ] as const)
    t.equal(shareOf(together, 5000), expected, `${together} together`)
  t.end()
})

t.test('a broadcast begins with small shares', (t) => {
  const one = row({})
  const sizes: number[] = []
  for (let turn = 0; turn < 8; turn++) {
    const size = room(one, shareOf(1, one.taken_up))
    sizes.push(size)
    one.taken_up += size
    one.handed_on += size
    one.pending_count -= size
  }
  t.same(sizes, [10, 10, 20, 40, 20, 100, 100, 100])
  t.end()
})

t.test('whatever is answered when, everybody is taken up once, in order, within the window', (t) => {
  const step = fc.record({ answered: fc.integer({ min: 0, max: 150 }), together: fc.integer({ min: 0, max: 30 }) })
  const steps = fc.array(step, { minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2000 }), steps, (total, steps) => {
      const one = row({ total })
      let share = SLICE
      for (let turn = 0; one.pending_count > 0; turn++) {
        const { answered, together } = steps[turn % steps.length]!
        const size = room(one, share)
        const first = nextSlice(one)
        if (size > 0) {
          if (one.taken_up < first || one.taken_up + size > Math.min(total, first + SLICE)) return false
          one.taken_up += size
        }
        if (underWay(one) > WINDOW) return false
        if (one.taken_up > one.handed_on) {
          one.handed_on = one.taken_up
          share = shareOf(together, one.taken_up)
        }
        // Nothing under way and nothing taken up would be for ever.
        if (underWay(one) === 0) return false
        one.pending_count -= Math.min(underWay(one), turn % 7 === 6 ? underWay(one) : answered)
      }
      return one.taken_up === total
    }),
  )
  t.end()
})
