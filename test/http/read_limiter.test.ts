/** The queue before the database: every waiting read gets its turn, whatever happens to the reads before it. */
import t from 'tap'
import { ReadLimiter } from '../../http/server/limits/read_limiter.ts'
import { generateOperatorKey, storeOperatorKey } from '../../storage/mod.ts'
import { until } from '../runtime/support/wait.ts'
import { startTestServer } from './test_server.ts'

/** A read that ends when the test calls `done`. */
function slow() {
  let done = () => {}
  const ended = new Promise<void>((resolve) => {
    done = resolve
  })
  return { read: () => ended, done: () => done() }
}

const kinds: { what: string; read: () => Promise<unknown> | unknown }[] = [
  {
    what: 'throws at once',
    read: () => {
      throw new Error('no')
    },
  },
  { what: 'is answered at once', read: () => 1 },
]

for (const { what, read } of kinds) {
  t.test(`a read that ${what} hands its turn on`, async (t) => {
    const read_limiter = new ReadLimiter(1)
    const first = slow()
    const began = read_limiter.run(first.read)
    const before = Promise.allSettled([read_limiter.run(read), read_limiter.run(read)])
    const last = read_limiter.run(async () => 'mine')
    first.done()
    await began
    await before
    t.equal(await last, 'mine')
  })
}

t.test('reads run up to their limit at once, in the order in which they came', async (t) => {
  const read_limiter = new ReadLimiter(2)
  const began: number[] = []
  let running = 0
  const asks = Array.from({ length: 200 }, (_, n) =>
    read_limiter.run(() => {
      began.push(n)
      if (n % 3 === 0) return n
      t.ok(++running <= 2)
      return new Promise((resolve) => setImmediate(resolve)).then(() => running--)
    }),
  )
  await Promise.all(asks)
  t.strictSame(
    began,
    Array.from({ length: 200 }, (_, n) => n),
  )
})

t.test('slow reads of one project leave a place for the others', async (t) => {
  const read_limiter = new ReadLimiter(3)
  const reads = Array.from({ length: 5 }, slow)
  let begun = 0
  const hers = reads.map(({ read }) =>
    read_limiter.run(() => {
      begun++
      return read()
    }, 'hers'),
  )
  t.equal(begun, 2)
  t.equal(await read_limiter.run(async () => 'mine', 'mine'), 'mine')
  t.equal(await read_limiter.run(async () => 'anyone'), 'anyone')
  for (const { done } of reads) done()
  await Promise.all(hers)
  t.equal(begun, 5)
  t.equal(await read_limiter.run(async () => 'again', 'hers'), 'again')
})

t.test('reads with a key of few rights leave a place for the others; those of admins pass by', async (t) => {
  const { promise: ended, resolve: end } = Promise.withResolvers<object>()
  let begun = 0
  const read = () => {
    begun++
    return ended
  }
  const path = '/admin/v1/slow'
  const slow = { method: 'GET', path, operation: 'slow', summary: '', auth: 'operator', status: 200, read } as const
  const { call, database } = await startTestServer(t, { routes: [slow], config: { max_reads: 3 } })
  const keyOf = async (role: 'read' | 'admin') => {
    const { token, prefix, hash } = generateOperatorKey()
    await storeOperatorKey(database, { name: role, role, prefix, hash })
    return token
  }
  const ask = async (token: string) => (await call(path, { token })).status
  const [reader, admin] = [await keyOf('read'), await keyOf('admin')]
  const asked = Array.from({ length: 4 }, () => ask(reader))
  await until(() => begun === 2)
  const admitted = ask(admin)
  await until(() => begun >= 3)
  t.equal(begun, 3, 'two of the others wait')
  end({})
  t.equal(await admitted, 200)
  await Promise.all(asked)
})

t.test('with one place every project takes its turn', async (t) => {
  const read_limiter = new ReadLimiter(1)
  const asks = ['a', 'a', 'b', 'a'].map((owner, n) => read_limiter.run(async () => n, owner))
  t.strictSame(await Promise.all(asks), [0, 1, 2, 3])
})

for (const flooding of [1, 2, 7]) {
  t.test(`ten thousand reads of each of ${flooding} projects delay another's by one read of each`, async (t) => {
    const read_limiter = new ReadLimiter(2)
    const before: string[] = []
    let is_counting = false
    const read = async (owner: string) => {
      if (is_counting) before.push(owner)
    }
    const floods = Array.from({ length: flooding }, (_, n) => `flood ${n}`)
    const asks: unknown[] = []
    for (let n = 0; n < 10_000; n++) {
      for (const owner of floods) asks.push(read_limiter.run(() => read(owner), owner))
    }
    is_counting = true
    await read_limiter.run(() => read('mine'), 'mine')
    is_counting = false
    const mine = before.indexOf('mine')
    t.ok(mine <= flooding, `${mine} reads came first`)
    await Promise.all(asks)
  })
}

t.test('a read that gave up leaves no trace in the line', async (t) => {
  const read_limiter = new ReadLimiter(1)
  const first = slow()
  const began = read_limiter.run(first.read, 'a')
  let is_read = false
  await t.rejects(
    async () =>
      read_limiter.run(() => {
        is_read = true
      }, 'b'),
    { message: 'The database is too busy.' },
  )
  const last = read_limiter.run(async () => 'mine', 'c')
  first.done()
  await began
  t.equal(await last, 'mine')
  t.notOk(is_read)
})
