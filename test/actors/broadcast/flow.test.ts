import fc from 'fast-check'
import t from 'tap'
import { nextSlice, Pace, room, shareOf, underWay, WINDOW, windowOf } from '../../../actors/broadcast/send_window.ts'
import { type Broadcast, SLICE } from '../../../storage/mod.ts'

const row = (fields: Partial<Broadcast>) => {
  const all = { status: 'sending', total: 5000, taken_up: 0, handed_on: 0, ...fields } as Broadcast
  return { ...all, pending_count: fields.pending_count ?? all.total } as Broadcast
}

t.test('the window bounds how many recipients are taken up', (t) => {
  const cases: [string, Broadcast, number, number][] = [
    ['half of the first window to begin with', row({}), SLICE, 20],
    ['a share of it', row({}), 10, 10],
    ['the first window is full', row({ taken_up: 40, handed_on: 40 }), SLICE, 0],
    ['twice as many as were answered', row({ taken_up: 40, handed_on: 40, pending_count: 4960 }), SLICE, 60],
    ['a whole slice later', row({ taken_up: 600, handed_on: 600, pending_count: 4400 }), SLICE, SLICE],
    ['the rest of a slice', row({ taken_up: 570, handed_on: 570, pending_count: 4430 }), SLICE, 30],
    ['the last ones', row({ total: 120, taken_up: 100, handed_on: 100, pending_count: 20 }), SLICE, 20],
    ['nobody is left', row({ total: 100, taken_up: 100, handed_on: 100 }), SLICE, 0],
    ['a slice is with the project', row({ taken_up: 100, handed_on: 0 }), SLICE, 0],
    ['the window is full', row({ taken_up: 900, handed_on: 900, pending_count: 4500 }), SLICE, 0],
    ['a share fits', row({ taken_up: 900, handed_on: 900, pending_count: 4400 }), 100, 100],
    ['not quite', row({ taken_up: 900, handed_on: 900, pending_count: 4401 }), 100, 0],
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
    t.equal(shareOf(together, Number.POSITIVE_INFINITY), expected, `${together} together`)
  t.end()
})

t.test('a slice holds the recipients that are answered in a twentieth of a second', (t) => {
  for (const [per_second, expected] of [
    [0, 10],
    [80, 10],
    [1000, 50],
    [5000, 100],
  ] as const)
    t.equal(shareOf(1, per_second), expected, `${per_second} a second`)
  t.end()
})

t.test('the pace is measured over a fifth of a second, again and again', (t) => {
  const pace = new Pace()
  pace.note(5, 1000)
  pace.note(5, 1100)
  t.equal(pace.per_second, Number.POSITIVE_INFINITY, 'not known yet')
  pace.note(10, 1200)
  t.equal(pace.per_second, 100)
  pace.note(1, 1300)
  t.equal(pace.per_second, 100)
  pace.note(1, 1600)
  t.equal(pace.per_second, 5)
  t.end()
})

t.test('everybody is taken up once, in order, within the window, whenever answers come', (t) => {
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
        if (underWay(one) > Math.min(WINDOW, windowOf(one))) return false
        if (one.taken_up > one.handed_on) {
          one.handed_on = one.taken_up
          share = shareOf(together, answered * 20)
        }
        // A broadcast with nothing under way and nothing taken up would wait for ever.
        if (underWay(one) === 0) return false
        one.pending_count -= Math.min(underWay(one), turn % 7 === 6 ? underWay(one) : answered)
      }
      return one.taken_up === total
    }),
  )
  t.end()
})
