/** Reads of the same moment, joined into one. */
import t from 'tap'
import { batched, type Database } from '../../storage/mod.ts'

const database = {} as Database

/** A read whose answers come when the test releases them. It notes the questions of each call. */
function gated(code = '22P02') {
  const calls: number[][] = []
  const gates: (() => void)[] = []
  const read = batched(async (_database: Database, wants: number[]) => {
    calls.push(wants)
    await new Promise<void>((resolve) => gates.push(resolve))
    if (wants.includes(13)) throw Object.assign(new Error('thirteen cannot be read'), { code })
    return wants.map((want) => want * 10)
  })
  return { read: (want: number) => read(database, want), calls, release: () => gates.splice(0).map((go) => go()) }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

t.test('reads of one moment are one query, and each gets its own answer', async (t) => {
  const { read, calls, release } = gated()
  const all = Promise.all([1, 2, 3].map(read))
  await settled()
  t.same(calls, [[1, 2, 3]])
  release()
  t.same(await all, [10, 20, 30])
})

t.test('a later read never joins a query that has begun; behind two queries it waits and gathers', async (t) => {
  const { read, calls, release } = gated()
  const all: Promise<number>[] = []
  for (const want of [1, 2, 3, 4]) {
    all.push(read(want))
    await settled()
  }
  t.same(calls, [[1], [2]])
  release()
  await settled()
  t.same(calls, [[1], [2], [3, 4]])
  release()
  t.same(await Promise.all(all), [10, 20, 30, 40])
})

t.test('a read that fails leaves the other reads of its query unharmed', async (t) => {
  const { read, calls, release } = gated()
  const all = Promise.allSettled([1, 13, 3].map(read))
  await settled()
  release()
  await settled()
  t.same(calls, [[1, 13, 3], [1], [13], [3]])
  release()
  t.same(
    (await all).map((one) => (one.status === 'fulfilled' ? one.value : one.reason.message)),
    [10, 'thirteen cannot be read', 30],
  )
  const after = read(5)
  await settled()
  release()
  t.equal(await after, 50, 'and later reads go on')
})

t.test('without a server all reads fail at once, and none is tried again', async (t) => {
  const { read, calls, release } = gated('57P01')
  const all = Promise.allSettled([1, 13, 3].map(read))
  await settled()
  release()
  t.same(
    (await all).map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  )
  t.equal(calls.length, 1)
})

t.test('a database has its own reads', async (t) => {
  const asked: [Database, number[]][] = []
  const read = batched(async (database: Database, wants: number[]) => {
    asked.push([database, wants])
    return wants
  })
  const other = {} as Database
  t.same(await Promise.all([read(database, 1), read(other, 2)]), [1, 2])
  t.same(asked, [
    [database, [1]],
    [other, [2]],
  ])
})
