import t from 'tap'
import { inOneHistory } from '../../http/server/changes/history_guard.ts'
import { Unavailable } from '../../runtime/mod.ts'

/** Makes a database whose next connection is to `next`. */
function leading(next: string | undefined) {
  const database = { history: 'one/00000001' as string | undefined, execute: async () => [] as never[] }
  database.execute = async () => {
    database.history = next
    return []
  }
  return database
}

t.test('a change is acknowledged when one server had it from beginning to end', async (t) => {
  t.equal(await inOneHistory(leading('one/00000001'), () => 'made'), 'made')
})

t.test('a change is not acknowledged when a standby was promoted before the answer', async (t) => {
  await t.rejects(
    inOneHistory(leading('one/00000002'), () => 'made'),
    Unavailable,
  )
})

t.test('a failed change passes on its error', async (t) => {
  const failed = new Error('no')
  await t.rejects(
    inOneHistory(leading('one/00000001'), () => Promise.reject(failed)),
    failed,
  )
})
