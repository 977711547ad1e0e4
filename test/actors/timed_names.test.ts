/** Names that wait, against a plain map. */
import fc from 'fast-check'
import t from 'tap'
import { TimedNames } from '../../actors/timers/timed_names.ts'

const name = fc.integer({ min: 0, max: 9 }).map(String)
const time = fc.nat({ max: 30 })
const step = fc.oneof(
  fc.record({ is: fc.constant('set' as const), name, time }),
  fc.record({ is: fc.constant('delete' as const), name }),
  fc.record({ is: fc.constant('take' as const), time, most: fc.nat({ max: 4 }) }),
)

t.test('the earliest names come first, each at its last time', async (t) => {
  const property = fc.property(fc.array(step, { maxLength: 3000, size: 'max' }), (steps) => {
    const names = new TimedNames()
    const model = new Map<string, number>()
    const earliest = () => [...model].sort(([, a], [, b]) => a - b)
    for (const one of steps) {
      if (one.is === 'set') {
        names.set(one.name, one.time)
        model.set(one.name, one.time)
      } else if (one.is === 'delete') {
        names.delete(one.name)
        model.delete(one.name)
      } else {
        const due = earliest().filter(([, at]) => at <= one.time)
        const taken = names.take(one.time, one.most)
        const times = taken.map((name) => model.get(name))
        const wanted = due.slice(0, one.most).map(([, at]) => at)
        if (times.join() !== wanted.join()) throw new Error(`took ${times}, not ${wanted}`)
        for (const name of taken) model.delete(name)
      }
      if (names.next !== earliest()[0]?.[1]) throw new Error(`${names.next} is not the next`)
      if (names.size !== model.size) throw new Error('they are not as many')
    }
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 40 }))
})
