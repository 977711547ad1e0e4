import { randomBytes } from 'node:crypto'
import t from 'tap'
import { isObjectId, isPrefixedId, objectId, objectIdAt, prefixedId } from '../../storage/mod.ts'

t.test('ids grow within a process while the clock goes back by no more than two seconds', async (t) => {
  const now = Date.now()
  const moments = [now, now, now - 1_900, now + 2_000, now, now + 1_000]
  const ids = moments.map((moment) => objectId(moment))
  t.same(ids, [...ids].sort())
  t.equal(new Set(ids).size, ids.length)
})

t.test('a clock that was an hour ahead leaves nothing behind in later ids', async (t) => {
  const now = Date.now() + 60_000
  const hour = 3_600_000
  const secondOf = (id: string) => Number.parseInt(id.slice(0, 8), 16)
  const before = objectId(now)
  const ahead = [objectId(now + hour), objectId(now + hour)]
  const after = [objectId(now), objectId(now), objectId(now + 1000)]
  t.equal(secondOf(ahead[0]!), Math.floor((now + hour) / 1000))
  t.equal(secondOf(after[0]!), Math.floor(now / 1000))
  t.same(after, [...after].sort())
  t.not(after[0]!.slice(8, 18), before.slice(8, 18), 'told apart from those of the same second by their process part')
  t.not(objectId(now + hour).slice(8, 18), ahead[0]!.slice(8, 18), 'nor does the hour ahead come twice')
  const all = [before, ...ahead, ...after]
  t.equal(new Set(all).size, all.length)
})

t.test('ids have the shape of an ObjectId', async (t) => {
  t.ok(isObjectId(objectId()))
  t.match(prefixedId('msg'), /^msg_[0-9a-f]{24}$/)
  t.ok(isPrefixedId('msg', prefixedId('msg')))
  for (const text of ['', 'x'.repeat(24), 'A'.repeat(24), '0'.repeat(23), `${'0'.repeat(24)}\n`]) {
    t.notOk(isObjectId(text), JSON.stringify(text))
  }
  t.notOk(isPrefixedId('msg', prefixedId('wh')))
  t.notOk(isPrefixedId('msg', objectId()))
})

t.test('the id of a moment separates older from younger ids', async (t) => {
  const now = Date.now()
  t.ok(objectIdAt(new Date(now - 60_000)) < objectId())
  t.ok(objectIdAt(new Date(now + 60_000)) > objectId())
})

type Ids = typeof import('../../storage/values/ids.ts')
let processes = 0
/** The ids of another process. */
const anotherProcess = (): Promise<Ids> =>
  import(new URL(`../../storage/values/ids.ts?${++processes}`, import.meta.url).href)

/** Ids of the versions before: random bits after the second. */
const formerly = () => {
  const part = randomBytes(5).toString('hex')
  let counter = 0
  return (moment: number) =>
    Math.floor(moment / 1000)
      .toString(16)
      .padStart(8, '0') +
    part +
    (counter++).toString(16).padStart(6, '0')
}

t.test(
  'D2 each owner of a partition gives out greater ids than the owners before it, within one second too',
  async (t) => {
    const rounds = 300
    const owners = await Promise.all(Array.from({ length: 6 }, anotherProcess))
    let time = Date.now()
    const chance = (most: number) => Math.random() * most
    const pass = (ms: number) => {
      time += ms
      return time
    }
    for (let round = 0; round < rounds; round++) {
      // Later than all before, as the ids of a process are.
      time += 5000
      const ids: string[] = []
      if (round % 3 === 0) {
        const of = formerly()
        for (let n = 0; n < 3; n++) ids.push(of(pass(chance(3))))
      }
      for (let handovers = 0; handovers < 8; handovers++) {
        const owner = owners[Math.floor(chance(owners.length))]!
        // A lead of a second is the largest that a clock keeps.
        const off_ms = chance(1500) - 500
        owner.outrunOwners(pass(2 + chance(20)))
        for (let n = chance(4); n > 0; n--) {
          ids.push(owner.objectId(Math.floor(pass(chance(2)) + Math.min(off_ms, 999))))
        }
      }
      const sorted = ids.toSorted()
      if (ids.join() !== sorted.join()) return t.same(ids, sorted, `round ${round}`)
    }
  },
)

t.test('D1 the ids of a process that takes partitions grow, and are never given twice', async (t) => {
  const { objectId, outrunOwners } = await anotherProcess()
  const ids: string[] = []
  let time = Date.now()
  for (let n = 0; n < 2000; n++) {
    time += Math.random() * 3
    if (n % 7 === 0) outrunOwners(time - 20)
    ids.push(objectId(Math.floor(time)))
  }
  t.same(ids, ids.toSorted())
  t.equal(new Set(ids).size, ids.length)
})

t.test('ids follow an id that another process has made, and no id of a wrong clock', async (t) => {
  const [one, two] = [await anotherProcess(), await anotherProcess()]
  const now = Date.now()
  const seen = two.prefixedId('msg')
  one.outrunId(seen)
  t.ok(one.prefixedId('msg') > seen)
  one.outrunId(`msg_${formerly()(now)}`)
  const before = one.objectId()
  one.outrunId(`msg_${formerly()(now + 3_600_000)}`)
  t.ok(Number.parseInt(one.objectId().slice(0, 8), 16) - Number.parseInt(before.slice(0, 8), 16) < 10)
})

t.test('D3 ids of several processes are in the order of their milliseconds', async (t) => {
  const all = await Promise.all([anotherProcess(), anotherProcess(), anotherProcess()])
  const time = Date.now()
  const ids = Array.from({ length: 300 }, (_, n) => all[n % 3]!.objectId(time + n * 2))
  t.same(ids, ids.toSorted())
})
