/** The readiness of a node: many requests share one check. */
import t from 'tap'
import { readinessOf } from '../../http/app/node/readiness.ts'
import type { Database } from '../../storage/mod.ts'
import { startTestServer } from './test_server.ts'

t.test('many requests cost one check, and a node told to stop reports it at once', async (t) => {
  let looks = 0
  let is_leaving = false
  const readiness = async () => {
    looks++
    return { ok: true, checks: { database: 'away' }, warnings: [] }
  }
  const { call } = await startTestServer(t, {
    readiness: readinessOf({
      node: { readiness } as never,
      database: {} as Database,
      warnings: () => [],
      isLeaving: () => is_leaving,
    }),
  })
  const ask = async () => (await call('/ready', { token: null })).body
  const one = { status: 'not_ready', checks: { database: 'away' } }
  for (const answer of await Promise.all(Array.from({ length: 20 }, ask))) t.strictSame(answer, one)
  for (let n = 0; n < 200; n++) t.strictSame(await ask(), one)
  t.ok(looks < 100, `${looks} looks`)

  is_leaving = true
  t.strictSame(await ask(), { status: 'not_ready', checks: { database: 'away', node: 'stopping' } })
  is_leaving = false
  const before = looks
  while (looks === before) await ask()
  t.pass('it is found out anew')
})
