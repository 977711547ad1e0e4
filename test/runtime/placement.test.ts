/** Where partitions belong: over random clusters that nodes join and leave, little moves and nobody has too much. */
import fc from 'fast-check'
import t from 'tap'
import { type Member, place } from '../../runtime/placement.ts'

type Owners = (string | undefined)[]
type Step = { join: number } | { leave: number }

const empty = (partitions: number): Owners => new Array(partitions).fill(undefined)
const count = (owners: Owners, id: string) => owners.filter((owner) => owner === id).length
const moved = (before: Owners, after: Owners) => after.flatMap((owner, id) => (owner === before[id] ? [] : [id]))
const shareOf = ({ capacity }: Member, members: readonly Member[], partitions: number) =>
  (partitions * capacity) / members.reduce((sum, member) => sum + member.capacity, 0)

/** Ids as nodes have them: 12 hexadecimal digits. */
const id = fc.integer({ min: 0, max: 2 ** 48 - 1 }).map((n) => n.toString(16).padStart(12, '0'))
const ids = fc.uniqueArray(id, { minLength: 24, maxLength: 24 })
const partitions = fc.constantFrom(16, 24, 64, 100, 256)
const equal = fc.constant(1)
const weighted = fc.constantFrom(0.5, 1, 2, 3, 4)

const historyOf = (capacity: fc.Arbitrary<number>): fc.Arbitrary<Step[]> => {
  const join = capacity.map((capacity): Step => ({ join: capacity }))
  const leave = fc.nat().map((leave): Step => ({ leave }))
  return fc.array(fc.oneof({ weight: 3, arbitrary: join }, { weight: 2, arbitrary: leave }), {
    minLength: 1,
    maxLength: 16,
  })
}

type Moment = { members: Member[]; changed: Member; step: 'join' | 'leave'; before: Owners; after: Owners }

/** Lives through a history; each step finds the cluster settled after the one before. A last node does not leave. */
function* live(names: string[], partitions: number, history: Step[]): Generator<Moment> {
  let members: Member[] = []
  let before = empty(partitions)
  let joined = 0
  for (const step of history) {
    let changed: Member
    if ('join' in step) {
      changed = { id: names[joined++]!, capacity: step.join }
      members = [...members, changed]
    } else {
      if (members.length < 2) continue
      changed = members[step.leave % members.length]!
      members = members.filter((member) => member !== changed)
      before = before.map((owner) => (owner === changed.id ? undefined : owner))
    }
    const after = place(members, before)
    yield { members, changed, step: 'join' in step ? 'join' : 'leave', before, after }
    before = after
  }
}

const holds = (
  capacity: fc.Arbitrary<number>,
  rule: (moment: Moment) => void,
  parameters: fc.Parameters<[string[], number, Step[]]> = { numRuns: 300 },
) =>
  fc.assert(
    fc.property(ids, partitions, historyOf(capacity), (names, partitions, history) => {
      for (const moment of live(names, partitions, history)) rule(moment)
    }),
    parameters,
  )

function expect(condition: boolean, said: () => string): void {
  if (!condition) throw new Error(said())
}

for (const [capacities, capacity] of [
  ['equal', equal],
  ['different', weighted],
] as const) {
  // Whole partitions do not divide by any capacities: about one change in ten thousand moves one between others.
  const most = capacities === 'equal' ? 0 : 1
  t.test(
    `${capacities} capacities: a node that joins moves its share to itself, and at most ${most} more`,
    async () => {
      holds(capacity, ({ step, members, changed, before, after }) => {
        if (step !== 'join') return
        const share = shareOf(changed, members, after.length)
        const took = count(after, changed.id)
        // One that has nothing cannot be told from the one that joins; that takes fewer partitions than nodes.
        const others = moved(before, after).filter((id) => after[id] !== changed.id && count(before, after[id]!) > 0)
        expect(others.length <= most, () => `moved between others: ${JSON.stringify({ before, after })}`)
        expect(took <= Math.ceil(share) && took <= share + after.length / 10, () => `${took} for a share of ${share}`)
      })
    },
  )

  t.test(`${capacities} capacities: a node that leaves moves what it had, and at most ${most} more`, async () => {
    holds(capacity, ({ step, changed, before, after }) => {
      if (step !== 'leave') return
      expect(
        moved(before, after).filter((partition) => before[partition] !== undefined).length <= most,
        () => `${changed.id} left, and others moved: ${JSON.stringify({ before, after })}`,
      )
      expect(count(after, changed.id) === 0, () => 'one that left has partitions')
    })
  })

  t.test(`${capacities} capacities: everything has a living owner, by capacity to within one partition`, async () => {
    holds(capacity, ({ members, after }) => {
      for (const owner of after) {
        expect(
          members.some(({ id }) => id === owner),
          () => `owned by ${owner}, who is not there`,
        )
      }
      for (const member of members) {
        const share = shareOf(member, members, after.length)
        const has = count(after, member.id)
        expect(Math.abs(has - share) < 1, () => `${has} for a share of ${share}`)
      }
    })
  })

  t.test(`${capacities} capacities: what is settled stays, and all nodes agree on it`, async () => {
    holds(capacity, ({ members, before, after }) => {
      expect(moved(after, place(members, after)).length === 0, () => 'a second look moved something')
      // Each node hears the others in an order of its own.
      for (const order of [members.toReversed(), members.toSorted((a, b) => (a.id < b.id ? -1 : 1))]) {
        expect(moved(after, place(order, before)).length === 0, () => 'two nodes do not agree')
      }
    })
  })
}

t.test('64 partitions and 3 equal nodes: nobody is more than 15 % from the mean, whatever went before', async () => {
  fc.assert(
    fc.property(ids, historyOf(equal), (names, history) => {
      let last: Moment | undefined
      for (const moment of live(names, 64, history)) last = moment
      const members = names.slice(-3).map((id) => ({ id, capacity: 1 }))
      for (const before of [empty(64), last?.after ?? empty(64)]) {
        const after = place(members, before)
        for (const { id } of members) {
          const distance = Math.abs(count(after, id) / (64 / 3) - 1)
          expect(distance <= 0.15, () => `${count(after, id)} of 64`)
        }
      }
    }),
    { numRuns: 300 },
  )
})

t.test('facts of any kind, owners unevenly spread and partly unknown, still settle in one step', async () => {
  const member = fc.record({ id, capacity: weighted })
  const members = fc.uniqueArray(member, { minLength: 1, maxLength: 10, selector: ({ id }) => id })
  const owner = fc.option(fc.nat(12), { nil: undefined })
  fc.assert(
    fc.property(members, fc.array(owner, { minLength: 1, maxLength: 128 }), (members, picks) => {
      const before = picks.map((pick) => (pick === undefined ? undefined : (members[pick]?.id ?? 'gone')))
      const after = place(members, before)
      expect(after.length === before.length, () => 'partitions were forgotten')
      expect(moved(after, place(members, after)).length === 0, () => 'it is not settled')
      for (const member of members) {
        const target = shareOf(member, members, before.length)
        expect(Math.abs(count(after, member.id) - target) < 1, () => `${count(after, member.id)} for ${target}`)
        // An owner gives away only what is over its share.
        const kept = after.filter((owner, at) => owner === member.id && before[at] === member.id).length
        const least = Math.min(count(before, member.id), Math.floor(target))
        expect(kept >= least, () => `kept ${kept} of ${count(before, member.id)}, a share is ${target}`)
      }
    }),
    { numRuns: 500 },
  )
})

t.test('nobody alive owns nothing', async (t) => {
  t.same(place([], ['gone', undefined]), [])
})
