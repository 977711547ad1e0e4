/** Threads that run only while there are jobs. */
import t from 'tap'
import { IdlePool } from '../../runtime/mod.ts'
import { eventually } from '../e2e/client.ts'
import type { Owner } from '../support/mod.ts'

const LONG_MS = 60_000

function poolOf(t: Owner, idle_ms: number): IdlePool<string, string> {
  const script = new URL('./test_thread.ts', import.meta.url)
  const pool = new IdlePool<string, string>({ script, threads: 1, waiting: 2, heap_mib: 32, idle_ms })
  t.teardown(() => pool.close())
  return pool
}

t.test('a thread without a job ends, and the next job gets a new one', async (t) => {
  const pool = poolOf(t, 0)
  t.same(await Promise.all(['a', 'b'].map((word) => pool.run(word, LONG_MS))), ['a 1', 'b 2'])
  await eventually('the first thread has ended', async () => (await pool.run('a', LONG_MS)) === 'a 1')
})

t.test('a thread goes on to the next job within the time', async (t) => {
  const pool = poolOf(t, LONG_MS)
  t.equal(await pool.run('a', LONG_MS), 'a 1')
  t.equal(await pool.run('a', LONG_MS), 'a 2')
})

t.test('a pool that closes ends its jobs, and takes no more', async (t) => {
  const pool = poolOf(t, LONG_MS)
  const hung = Promise.allSettled([pool.run('hang', LONG_MS)])
  await pool.close()
  for (const result of [...(await hung), ...(await Promise.allSettled([pool.run('a', LONG_MS)]))])
    t.match(result, { status: 'rejected', reason: { reason: 'closed' } })
})
