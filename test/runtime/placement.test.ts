/**
 * The owners of partitions: over random clusters that nodes join and leave, few partitions move and no node has too
 * many.
 */
import fc from 'fast-check'
import t from 'tap'
import { type Member, place } from '../../runtime/cluster/placement.ts'

type Owners = (string | undefined)[]
type Step = 'join' | { leave: number }

const empty = (partitions: number): Owners => new Array(partitions).fill(undefined)
const count = (owners: Owners, id: string) => owners.filter((owner) => owner === id).length
const moved = (before: Owners, after: Owners) => after.flatMap((owner, id) => (owner === before[id] ? [] : [id]))

/** Returns an id in the form of a node's: 12 hexadecimal digits. */
const idOf = (n: number) => n.toString(16).padStart(12, '0')
const id = fc.integer({ min: 0, max: 2 ** 48 - 1 }).map(idOf)
const ids = fc.uniqueArray(id, { minLength: 24, maxLength: 24 })
const partitions = fc.constantFrom(16, 24, 64, 100, 256)
const history: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant('join' as const) },
    { weight: 2, arbitrary: fc.nat().map((leave) => ({ leave })) },
  ),
  { minLength: 1, maxLength: 16 },
)

/** Returns a cluster of `count` nodes whose ids are spread as random ones are. */
const cluster = (count: number): Member[] =>
  Array.from({ length: count }, (_, i) => ({ id: idOf((i + 1) * 137_438_953_481) }))

type Moment = { members: Member[]; changed: Member; step: 'join' | 'leave'; before: Owners; after: Owners }

/** Plays a history. Each step finds the cluster settled after the step before. The last node does not leave. */
function* live(names: string[], partitions: number, history: Step[]): Generator<Moment> {
  let members: Member[] = []
  let before = empty(partitions)
  let joined = 0
  for (const step of history) {
    let changed: Member
    if (step === 'join') {
      changed = { id: names[joined++]! }
      members = [...members, changed]
    } else {
      if (members.length < 2) continue
      changed = members[step.leave % members.length]!
      members = members.filter((member) => member !== changed)
      before = before.map((owner) => (owner === changed.id ? undefined : owner))
    }
    const after = place(members, before)
    yield { members, changed, step: step === 'join' ? 'join' : 'leave', before, after }
    before = after
  }
}

const holds = (rule: (moment: Moment) => void) =>
  fc.assert(
    fc.property(ids, partitions, history, (names, partitions, history) => {
      for (const moment of live(names, partitions, history)) rule(moment)
    }),
    { numRuns: 450 },
  )

function expect(condition: boolean, said: () => string): void {
  if (!condition) throw new Error(said())
}

t.test('a node that joins moves its share to itself, and nothing else moves', async () => {
  holds(({ step, members, changed, before, after }) => {
    if (step !== 'join') return
    const took = count(after, changed.id)
    // A node that owns nothing looks like the node that joins. That happens only with fewer partitions than nodes.
    const others = moved(before, after).filter((id) => after[id] !== changed.id && count(before, after[id]!) > 0)
    expect(others.length === 0, () => `moved between others: ${JSON.stringify({ before, after })}`)
    const share = after.length / members.length
    expect(took <= Math.ceil(share), () => `${took} for a share of ${share}`)
  })
})

t.test('a node that leaves moves what it had, and nothing else moves', async () => {
  holds(({ step, changed, before, after }) => {
    if (step !== 'leave') return
    expect(
      moved(before, after).every((partition) => before[partition] === undefined),
      () => `${changed.id} left, and others moved: ${JSON.stringify({ before, after })}`,
    )
    expect(count(after, changed.id) === 0, () => 'one that left has partitions')
  })
})

/** Checks that every partition has a living owner, and each node its share to within one partition. */
function checkShares(members: readonly Member[], after: Owners): void {
  const had = new Map(members.map(({ id }) => [id, 0]))
  for (const owner of after) {
    expect(owner !== undefined && had.has(owner), () => `owned by ${owner}, who is not there`)
    had.set(owner!, had.get(owner!)! + 1)
  }
  const share = after.length / members.length
  for (const has of had.values()) expect(Math.abs(has - share) < 1, () => `${has} for a share of ${share}`)
}

t.test('every partition has a living owner, in equal shares to within one partition', async () => {
  holds(({ members, after }) => checkShares(members, after))
})

t.test('a settled placement stays, and all nodes agree on it', async () => {
  holds(({ members, before, after }) => {
    expect(moved(after, place(members, after)).length === 0, () => 'a second look moved something')
    // Each node knows the others in an order of its own.
    for (const order of [members.toReversed(), members.toSorted((a, b) => (a.id < b.id ? -1 : 1))]) {
      expect(moved(after, place(order, before)).length === 0, () => 'two nodes do not agree')
    }
  })
})

t.test('64 partitions and 3 nodes: nobody is more than 15 % from the mean, whatever went before', async () => {
  fc.assert(
    fc.property(ids, history, (names, history) => {
      let last: Moment | undefined
      for (const moment of live(names, 64, history)) last = moment
      const members = names.slice(-3).map((id) => ({ id }))
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
  const members = fc.uniqueArray(fc.record({ id }), { minLength: 1, maxLength: 10, selector: ({ id }) => id })
  const owner = fc.option(fc.nat(12), { nil: undefined })
  fc.assert(
    fc.property(members, fc.array(owner, { minLength: 1, maxLength: 128 }), (members, picks) => {
      const before = picks.map((pick) => (pick === undefined ? undefined : (members[pick]?.id ?? 'gone')))
      const after = place(members, before)
      expect(after.length === before.length, () => 'partitions were forgotten')
      expect(moved(after, place(members, after)).length === 0, () => 'it is not settled')
      checkShares(members, after)
      for (const { id } of members) {
        // An owner gives away only the partitions over its share.
        const kept = after.filter((owner, at) => owner === id && before[at] === id).length
        const least = Math.min(count(before, id), Math.floor(before.length / members.length))
        expect(kept >= least, () => `kept ${kept} of ${count(before, id)}`)
      }
    }),
    { numRuns: 500 },
  )
})

t.test('4096 partitions and 1000 nodes: one that leaves and one that comes move their own share', async (t) => {
  const members = cluster(1000)
  const settled = place(members, empty(4096))
  checkShares(members, settled)
  t.strictSame(place(members.toReversed(), settled), settled)
  const [gone, ...others] = members
  const before = settled.map((owner) => (owner === gone!.id ? undefined : owner))
  const without = place(others, before)
  checkShares(others, without)
  t.ok(moved(before, without).every((partition) => before[partition] === undefined))
  const again = place(members, without)
  checkShares(members, again)
  t.ok(moved(without, again).every((partition) => again[partition] === gone!.id))
})

t.test('nodes of near ids share the partitions of a dead one', async (t) => {
  const members = Array.from({ length: 101 }, (_, i) => ({ id: idOf(i) }))
  const settled = place(members, empty(4096))
  const left = settled.map((owner) => (owner === members[0]!.id ? undefined : owner))
  const heirs = new Set(place(members.slice(1), left).filter((_, partition) => left[partition] === undefined))
  t.ok(heirs.size > 30, `${heirs.size} of 100 take over about 40 partitions`)
})

/**
 * Returns the processor time of the fastest of some runs, in microseconds. A busy machine changes this figure least.
 */
function cost(work: () => unknown): number {
  const runs = Array.from({ length: 7 }, () => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return user + system
  })
  return Math.min(...runs)
}

t.test('placing costs little more than a look at each pair of a free partition and a node', async (t) => {
  const members = cluster(1000)
  const pairs = new Int32Array(4_096_000).map((_, i) => i)
  // Mixes each number with a multiplication or two, as a score needs.
  const look = () =>
    pairs.reduce((highest, n) => Math.max(highest, Math.imul(Math.imul(n, 0x85ebca6b) ^ (n >>> 13), 0xc2b2ae35)), 0)
  const times = cost(() => place(members, empty(4096))) / cost(look)
  t.ok(times < 10, `${times.toFixed(1)} times as much`)
})

t.test('four times as many partitions cost about four times as much', async (t) => {
  const members = cluster(1000)
  const growth = cost(() => place(members, empty(4096))) / cost(() => place(members, empty(1024)))
  t.ok(growth < 8, `${growth.toFixed(1)} times`)
})

t.test('an empty cluster has no owners', async (t) => {
  t.same(place([], ['gone', undefined]), [])
})
