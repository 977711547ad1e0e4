import t from 'tap'
import { ThreadPool } from '../../runtime/mod.ts'
import type { Owner } from '../support/mod.ts'

const script = new URL('./test_thread.ts', import.meta.url)
const LONG_MS = 60_000
const SHORT_MS = 50

function poolOf(t: Owner, options: { threads?: number; waiting?: number } = {}): ThreadPool<string, string> {
  const pool = new ThreadPool<string, string>({ script, threads: 1, waiting: 2, heap_mib: 32, ...options })
  t.teardown(() => pool.close())
  return pool
}

t.test('a thread does one job after the other', async (t) => {
  const pool = poolOf(t)
  t.same(await Promise.all(['a', 'b'].map((word) => pool.run(word, LONG_MS))), ['a 1', 'b 2'])
})

t.test('a job beyond its time ends with its thread, and the next one gets a new thread', async (t) => {
  const pool = poolOf(t)
  for (const word of ['hang', 'backtrack']) {
    const [first, next] = await Promise.allSettled([pool.run(word, SHORT_MS), pool.run('a', LONG_MS)])
    t.match(first, { status: 'rejected', reason: { name: 'JobFailed', reason: 'timeout' } }, word)
    t.same(next, { status: 'fulfilled', value: 'a 1' })
    await pool.run('hang', SHORT_MS).catch(() => {})
  }
})

t.test('a thread that breaks takes only its own job with it', async (t) => {
  const pool = poolOf(t)
  for (const word of ['throw', 'reject', 'exit', 'eat']) {
    const [first, next] = await Promise.allSettled([pool.run(word, LONG_MS), pool.run('a', LONG_MS)])
    t.match(first, { status: 'rejected', reason: { reason: 'broken' } }, word)
    t.equal(next.status, 'fulfilled')
  }
})

t.test('a thread that fails to start does not decide its job', async (t) => {
  const broken = { script: new URL('./nothing.ts', import.meta.url), threads: 1, waiting: 1, heap_mib: 32 }
  const pool = new ThreadPool<string, string>(broken)
  t.teardown(() => pool.close())
  const [result] = await Promise.allSettled([pool.run('a', LONG_MS)])
  t.match(result, { status: 'rejected', reason: { reason: 'start' } })
})

t.test('jobs beyond the queue are turned away', async (t) => {
  const pool = poolOf(t, { threads: 2 })
  const jobs = [...'aabbb'].map((owner) => pool.run('a', LONG_MS, owner))
  const results = await Promise.allSettled(jobs)
  t.same(
    results.map((result) => (result.status === 'fulfilled' ? 'done' : result.reason.reason)),
    ['done', 'done', 'done', 'done', 'busy'],
  )
})

t.test('a job of another owner needs no time of jobs that hang', async (t) => {
  const pool = poolOf(t, { threads: 2, waiting: 20_000 })
  const hung = Array.from({ length: 10_000 }, () => pool.run('hang', LONG_MS, 'a'))
  const ended = Promise.allSettled(hung)
  for (let at = 1; at <= 3; at++) t.equal(await pool.run('a', LONG_MS, 'b'), `a ${at}`)
  await pool.close()
  t.ok((await ended).every((result) => result.status === 'rejected' && result.reason.reason === 'closed'))
})

t.test('a pool that closes ends its jobs', async (t) => {
  const pool = poolOf(t)
  const jobs = Promise.allSettled([pool.run('hang', LONG_MS), pool.run('a', LONG_MS)])
  await pool.close()
  for (const result of [...(await jobs), ...(await Promise.allSettled([pool.run('a', LONG_MS)]))])
    t.match(result, { status: 'rejected', reason: { reason: 'closed' } })
})
